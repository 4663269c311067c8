// One step of particles that are structs of seven floats.
// Arguments: n. Simulated: 5120. Uneven: 5000. GPU: 8388608
#include "common.h"

struct Particle {
  float x, y, z;
  float vx, vy, vz;
  float mass;
};

__global__ void step(const Particle *before, Particle *after, int n, float dt, float gravity) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n)
    return;
  const float vz = before[i].vz - gravity * dt;
  after[i].x = before[i].x + before[i].vx * dt;
  after[i].y = before[i].y + before[i].vy * dt;
  after[i].z = before[i].z + vz * dt;
  after[i].vx = before[i].vx;
  after[i].vy = before[i].vy;
  after[i].vz = vz;
  after[i].mass = before[i].mass;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {5000});
  const int n = bench[0];
  std::vector<Particle> particles(n);
  for (int i = 0; i < n; ++i)
    particles[i] = {noise(i, 1), noise(i, 2), noise(i, 3), noise(i, 4), noise(i, 5), noise(i, 6), noise(i, 7)};
  Device<Particle> before(particles), after(particles.size());
  const float dt = 0.01f, gravity = 9.81f;
  while (bench.next())
    step<<<blocksFor(n, 256), 256>>>(before, after, n, dt, gravity);
  std::vector<float> flat;
  for (const Particle &p : after.host())
    flat.insert(flat.end(), {p.x, p.y, p.z, p.vx, p.vy, p.vz, p.mass});
  return bench.check(flat, [&](size_t f) {
    const Particle &p = particles[f / 7];
    const double vz = p.vz - double(gravity) * dt;
    const double all[] = {p.x + double(p.vx) * dt, p.y + double(p.vy) * dt, p.z + vz * dt, p.vx, p.vy, vz, p.mass};
    return all[f % 7];
  }, 1e-6);
}

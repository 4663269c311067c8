# -*- Python -*-
"""lit configuration. Run through the build: `ninja -C build check-hk`."""

import os
import re
import shutil

import lit.formats

config.name = "hk-opt"
config.suffixes = [".hip", ".cu", ".cpp", ".test", ".sh"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.hk_test_exec_root

# lit's own shell runs each line without a bash process; a test that needs more
# of a shell calls one.
config.test_format = lit.formats.ShTest(execute_external=False)

bin_dir = os.path.join(config.hk_build_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
# A ROCm of the user's must not decide what a test sees.
for name in ("ROCM_PATH", "HIP_PATH", "HK_ROCM_PATH"):
    config.environment.pop(name, None)

hip_flags = "-x hip --rocm-path={} -D__AMDGCN_WAVEFRONT_SIZE=64".format(config.hk_rocm_path)


def substitute(name, text):
    # lit replaces by regular expression; the look-ahead keeps %clang from
    # matching at the start of a longer name.
    config.substitutions.append((re.escape(name) + r"(?![\w-])", text))


# Programs and code objects for the simulator, and where its stand-in HIP library is.
hip_device = "--offload-arch=gfx942 -O2 -Wno-unused-value " + hip_flags
sim_library = os.path.join(config.hk_build_root, "lib", "hk-sim", "libamdhip64.so.6")
substitute("%hip-sim-library", sim_library)
substitute("%hip-sim-device", "{} --cuda-device-only {}".format(config.hk_clang, hip_device))
substitute(
    "%hip-sim-build",
    "{} --driver-mode=g++ {} -L{} -lamdhip64".format(
        config.hk_clang, hip_device, os.path.dirname(sim_library)
    ),
)
if os.access(sim_library, os.R_OK):
    config.available_features.add("sim")

# The kernel library. A host program that includes HIP's runtime API and links it needs no device compiler.
kernels_library = os.path.join(config.hk_build_root, "lib", "libhk_kernels.so")
if os.access(kernels_library, os.R_OK) and os.access(sim_library, os.R_OK):
    config.available_features.add("hk-kernels")
kernels_flags = "-D__HIP_PLATFORM_AMD__ -isystem {}/include -I{} -I{}".format(
    config.hk_rocm_path,
    config.hk_runtime_include,
    os.path.join(config.hk_source_root, "runtime", "kernels", "include"),
)
kernels_link = "-L{0} -lhk_kernels -Wl,-rpath,{0} -L{1} -lamdhip64 -Wl,-rpath-link,{1}".format(
    os.path.dirname(kernels_library), os.path.dirname(sim_library)
)
substitute("%hk-kernels-flags", kernels_flags)
substitute("%hk-kernels-link", kernels_link)
substitute("%hk-kernels", kernels_flags + " " + kernels_link)
# The Python module on it, in the simulator.
substitute(
    "%hk-python",
    "env HK_KERNELS_LIBRARY={} PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={} hk-sim --races {}".format(
        kernels_library,
        os.path.join(config.hk_source_root, "runtime", "python"),
        config.python_executable,
    ),
)

substitute("%hk-opt", os.path.join(bin_dir, "hk-opt"))
# Device code without HIP's headers, and all that the simulator can check.
substitute(
    "%sim-clang",
    "{} -x hip --offload-device-only --offload-arch=gfx942 -nogpuinc -nogpulib -O2 -c"
    " --no-gpu-bundle-output".format(config.hk_clang),
)
substitute("%hk-sim-run", os.path.join(bin_dir, "hk-sim-run"))
substitute("%checks", "--waits --races --uninitialized --strict")
substitute("%clang", config.hk_clang)
substitute("%hip-flags", hip_flags)
substitute("%rocm-path", config.hk_rocm_path)
substitute("%runtime-include", config.hk_runtime_include)
substitute("%python", config.python_executable)
substitute("%hk-src", config.hk_source_root)
substitute("%hk-build", config.hk_build_root)

if os.access(os.path.join(config.llvm_tools_dir, "clang-apply-replacements"), os.X_OK):
    config.available_features.add("apply-replacements")
# The runtime headers compile for HIP's NVIDIA platform, too; its programs are not run here.
nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
if nvcc:
    config.available_features.add("nvcc")
    substitute("%nvcc", nvcc + " -std=c++17 -Werror all-warnings")
if os.access(os.path.join(config.hk_rocm_path, "lib", "libamdhip64.so"), os.R_OK) and os.access(
    "/dev/kfd", os.R_OK | os.W_OK
):
    config.available_features.add("gpu")

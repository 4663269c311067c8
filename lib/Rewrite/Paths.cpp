//===- Paths.cpp - Path forms that the outputs need -----------------------===//

#include "Paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

std::string hk::absolutePath(StringRef Path) {
  SmallString<256> Result(Path);
  // Fails only if there is no current folder; the path as given is then the best there is.
  (void)sys::fs::make_absolute(Result);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

std::string hk::realPath(StringRef Path) {
  SmallString<256> Result;
  if (!sys::fs::real_path(Path, Result))
    return Result.str().str();
  return absolutePath(Path);
}

static std::optional<std::string> under(StringRef Root, StringRef Path) {
  auto RootIt = sys::path::begin(Root), RootEnd = sys::path::end(Root);
  auto PathIt = sys::path::begin(Path), PathEnd = sys::path::end(Path);
  for (; RootIt != RootEnd; ++RootIt, ++PathIt)
    if (PathIt == PathEnd || *RootIt != *PathIt)
      return std::nullopt;
  SmallString<256> Rest;
  for (; PathIt != PathEnd; ++PathIt)
    sys::path::append(Rest, *PathIt);
  if (Rest.empty())
    return std::nullopt;
  return sys::path::convert_to_slash(Rest);
}

std::optional<std::string> hk::pathUnder(StringRef Root, StringRef Path) {
  if (Root.empty())
    return std::nullopt;
  if (auto Rest = under(absolutePath(Root), absolutePath(Path)))
    return Rest;
  // One of the two may have been reached through a link.
  return under(realPath(Root), realPath(Path));
}

std::string hk::encodeUriPath(StringRef Path) {
  std::string Result;
  for (unsigned char C : Path) {
    if (isAlnum(C) || StringRef("-._~/!$&'()*+,;=:@").contains(C)) {
      Result += C;
      continue;
    }
    Result += '%';
    Result += hexdigit(C >> 4);
    Result += hexdigit(C & 15);
  }
  return Result;
}

std::string hk::fileUri(StringRef Path) {
  std::string Slashed = sys::path::convert_to_slash(absolutePath(Path));
  return (StringRef(Slashed).starts_with("/") ? "file://" : "file:///") + encodeUriPath(Slashed);
}

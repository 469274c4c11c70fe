"""Build tools: what they do is written in the project."""

ROWS = """
make, gmake, bmake | check make | -v~ -C% --directory% -f< --file< --makefile< -I: -j -W: -o: --old-file:
    --what-if: --eval!runs_code -E!runs_code -O -l
cmake           | check cmake | -E --build --install -S: -B: -D: -P:
ctest, cpack, meson, ninja, samu, scons, waf, buck, buck2, pants, please, gn, autoreconf, autoconf,
    automake, libtoolize, aclocal, configure, qmake, xmake, premake5, tup | ask builds | --version~ |
    CMakeLists.txt build.ninja meson.build BUILD WORKSPACE
bazel, bazelisk | menu
bazel version, bazel help, bazel info, bazelisk version | run
gradle, mvn, ant, sbtn, mill, lein-build | ask builds | -v~ --version~ -version~ long | build.gradle
    build.gradle.kts settings.gradle pom.xml build.xml
xcodebuild, swiftc, xcrun, fastlane, pod, carthage, flutter | ask builds | -version~ --version~ -list~ long
just, task, invoke-task, mage, rake-build, earthly, dagger, tilt, skaffold | ask builds | -l~ --list~
    --summary~ | justfile Taskfile.yml Earthfile Tiltfile
protoc, buf, thrift, flex, bison, yacc, lex, swig | ask builds | | @
act, gitlab-runner, drone | ask builds
"""

"""Build tools: what they do is written in the project."""

ROWS = """
make, gmake | ask builds check make | -v~ -C% --directory% -f< --file< --makefile< -I: -j -W: -o:
    --old-file: --what-if: --eval!runs_code -E!runs_code -O -l
cmake           | ask builds | -E --build --install -S: -B: -D: -P: | CMakeLists.txt
bmake           | ask builds | | Makefile @
ctest, cpack, meson, ninja, samu, scons, waf, buck, buck2, pants, please, gn, autoreconf, autoconf,
    automake, libtoolize, aclocal, qmake, xmake, premake5, tup | ask builds | --version~ | CMakeLists.txt
    build.ninja meson.build BUILD WORKSPACE
bazel, bazelisk | menu
bazel version, bazel help, bazel info, bazelisk version | run
gradle, mvn, ant, sbtn, mill | ask builds | -v~ --version~ -version~ long | build.gradle build.gradle.kts
    settings.gradle pom.xml build.xml
xcodebuild      | ask builds | -version~ -list~ long
swiftc, xcrun, fastlane, pod, carthage, flutter | ask builds | -version= long
just, task | ask builds | -l~ --list~ --summary~ | justfile Taskfile.yml
mage, earthly, dagger, tilt, skaffold | ask builds | | Earthfile Tiltfile
protoc, buf, thrift, flex, bison, yacc, lex, swig | ask builds | | @
act, gitlab-runner, drone | ask builds
"""

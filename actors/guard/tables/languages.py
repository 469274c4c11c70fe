"""Language runtimes, compilers, linters. Code asks, whether given, read or found in the project."""

ROWS = """
python, python3, python2, pypy, pypy3, python3.8, python3.9, python3.10, python3.11, python3.12, python3.13,
    python3.14 | check stop python | -c: -m: -X: -W: -V= -VV= -h= --check-hash-based-pycs:
ipython, bpython, jupyter | ask runs_code | | @
perl            | ask runs_code check stop code | -v= -V= -e: -E: -M: -m: -I: -F:
ruby            | ask runs_code check stop code | -v= -e: -r: -I: -C:
node, nodejs | ask runs_code check stop code | -v= -p: -e: --eval: --print: -r:!runs_code
    --require:!runs_code --import:!runs_code --check~ -c~
php             | ask runs_code check stop code | -v= -i= -m= -r:!runs_code -l~ -f: -d:!runs_code -c: -S:
lua, luajit | ask runs_code check stop code | -v= -e: -l:
Rscript, R, julia, octave | ask runs_code check stop code | -e: -E:
deno            | sub | -V=
bun             | menu
deno info, deno fmt, deno types, deno doc, bun help, bun --version | run | -c! --config! --import-map!
deno run, deno lint, deno test, deno eval, deno repl, deno task, deno compile, deno install, bun run, bun
    test, bun x, bun install, bun add, bun build, bun create | ask runs_code | | @
zig             | menu
zig version, zig env, zig targets | run
tclsh, wish | ask runs_code | --version!runs_code --help!runs_code | @
erl             | ask runs_code | --version!runs_code --help!runs_code -version= | @
guile, racket, sbcl, clisp, ghci, runghc, runhaskell, scala, kotlin, groovy, jshell, elixir, iex, escript,
    ocaml, swift, osascript, pwsh, powershell, ts-node, tsx, nodemon, pm2-runtime, bb, clojure, clj,
    crystal, nim, dart, v | ask runs_code | -version= --version= -v= -V= | @
java            | ask runs_code check stop code | -version= -jar: -cp: -classpath: long
javac, kotlinc, scalac | ask builds | -version~ | @
javap, jps, jstack, jmap, jinfo, jcmd | ask interactive | -version~

go              | menu | -C%
go version, go help, go doc, go list | run | -toolexec!runs -exec!runs -overlay! -modfile! -export!builds
    -f: -tags: -mod: long
go env          | run | long -w!overwrites -u!overwrites
go mod          | menu
go mod graph, go mod why, go mod verify | run | -modfile! long
go fmt          | run
go build, go test, go run, go install, go generate, go vet, go get, go clean, go tool, go work, go fix, go
    bug, go telemetry, go mod tidy, go mod init, go mod edit, go mod download, go mod vendor | ask builds |
    | go.mod go.sum
gofmt, goimports | writes | -r: -cpuprofile> -memprofile> -trace> long
golangci-lint, staticcheck, govulncheck, dlv, gopls | ask builds

gcc, g++, cc, c++, clang, clang++, cpp, gfortran | ask builds | -print-search-dirs= --print-search-dirs=
    -dumpversion= -dumpmachine= --print-target-triple= --print-sysroot= -v= --version~ long | @
rustc           | ask builds | --explain~ -vV= -V= | @
ghc, tcc, as, ld, nvcc, mcs, csc, fpc | ask builds | -v= -V= long | @
objdump, nm, readelf, size, addr2line, c++filt, otool, dwarfdump | reads | -j: -M: --plugin:!runs_code
ldd             | ask runs | | @
objcopy, strip, patchelf | ask overwrites
dotnet          | menu | --info --list-sdks --list-runtimes --version
dotnet list, dotnet help | run
dotnet build, dotnet run, dotnet test, dotnet publish, dotnet restore, dotnet clean, dotnet pack, dotnet
    tool, dotnet add, dotnet new, dotnet nuget, dotnet ef, dotnet watch, dotnet format, dotnet msbuild,
    dotnet exec | ask builds | | @

# Linters and formatters that read and rewrite sources but run none of them
ruff            | menu | --config< --isolated
ruff check, ruff format | writes | --output-file> -o> --config< --select: --ignore: --extend-select:
    --line-length: --target-version: --exclude: --per-file-ignores: --output-format: --stdin-filename:
    --cache-dir>
ruff rule, ruff config, ruff linter, ruff help, ruff version | run
ruff clean      | ask deletes
black, isort, autopep8, yapf, pyupgrade, docformatter | writes | -l: --line-length: --config< -c! --code!
    -t: --target-version: --exclude: --include: --profile: --settings-path<
pyflakes, pycodestyle, pydocstyle, vulture, radon, xenon, bandit | reads | -o> -O> --output-file> --output>
    -f: -L: -S: -c< --config< --select: --ignore: --max-line-length: -r -x: -ll -u!outward --url!outward
pyright, basedpyright | run | --createstub!overwrites --pythonpath!runs -p: --project: --pythonversion:
    --venvpath:
shellcheck      | reads | -s: -e: -i: -f: -S: -P: -o: -W: --shell: --exclude: --format: --severity:
    --rcfile<
shfmt           | writes | -i: -ln: --indent: --language-dialect: --filename:
codespell       | writes | -i: -L: -I< -x< -D: -S: -C: -B: -A: -f -q: --skip: --ignore-words-list:
markdownlint    | writes | -c< --config< -r:!runs_code --rules:!runs_code -o> --output> -i: --ignore: -p<
    --ignore-path<
jsonlint, taplo, typos | writes | --config< --exclude: --format:
yamllint, hadolint, actionlint, vale | reads | -c< --config< -d: -f: --format: -shellcheck$ -pyflakes$
    --shellcheck$ --pyflakes$ -o> --output>
clang-format    | writes | -style: --style: --files<
rustfmt         | writes | --edition: --config: --config-path!
tsc             | check tsc | -p: --project: --generateTrace> --generateCpuProfile> --tsBuildInfoFile>
dprint          | writes | --plugins!runs_code -c! --config!
gofumpt, stylua | writes | --config-path< -f<

# Linters and tests that load code or configuration that is code
tox             | ask runs_code | | tox.ini pyproject.toml
markdownlint-cli2, pytest, py.test, nosetests, nox | ask runs_code | --version~ | @ conftest.py
    pyproject.toml pytest.ini tox.ini setup.cfg
mypy, flake8, pylint, coverage, sphinx-build, mkdocs, pre-commit, alembic, django-admin, celery, flask,
    uvicorn, gunicorn, hypercorn, streamlit, fastapi, locust, behave, twine, cookiecutter, invoke, fab | ask
    runs_code | --version~ | pyproject.toml setup.cfg
eslint, prettier, jest, vitest, mocha, ava, tap, playwright, cypress, webpack, vite, rollup, esbuild,
    parcel, next, nuxt, astro, gatsby, turbo, nx, lerna, ng, vue, svelte-kit, remix, storybook, babel, gulp,
    grunt, husky, lint-staged, karma, stylelint, tsup, swc, c8, nyc | ask runs_code | --version~ -v~ |
    package.json
rspec, rake, rails, rubocop, cucumber, irb, minitest, guard, puma, sidekiq, jekyll | ask runs_code |
    --version~ -v~ | @ Rakefile Gemfile
phpunit, phpstan, psalm, artisan, drush, wp, pest | ask runs_code | --version~ | @
"""

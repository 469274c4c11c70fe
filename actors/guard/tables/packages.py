"""Package managers. Looking things up runs; installing asks; so do the scripts of a project."""

ROWS = """
pip3            | as pip
pip, pipx | menu | shared --python!runs --log> --proxy! --cache-dir> --cert<
pyenv, rbenv, nodenv, jenv, goenv, sdk | menu
pyenv versions, pyenv version, pyenv root, pyenv which, pyenv commands, rbenv versions, rbenv version, rbenv
    root, nodenv versions, jenv versions, goenv versions, sdk version, sdk current, sdk list | run
pip list, pip show, pip freeze, pip check, pip debug, pip inspect, pip help, pipx list | run | --index-url!
    -i! --extra-index-url! --python!runs
pip index, pip cache, pip config | menu
pip index versions, pip cache dir, pip cache list, pip cache info, pip config list, pip config get, pip
    config debug | run
pip hash        | reads
pip install, pip download, pip wheel, pip uninstall, pipx install, pipx run, pipx uninstall, pipx upgrade,
    pipx inject | ask installs | | requirements.txt pyproject.toml setup.py

uv              | menu | shared --directory% --project% --cache-dir> --config-file!
uv pip          | menu | shared -p!runs --python!runs
uv python, uv tool, uv cache | menu
uv pip list, uv pip show, uv pip freeze, uv pip check, uv pip tree, uv help, uv python list, uv python dir,
    uv tool list, uv tool dir, uv cache dir | run
uv python find, hatch version | none
uv version      | none | --bump!overwrites --short --output-format:
uv tree         | ask builds | --frozen~ -d: --depth: --outdated --invert | pyproject.toml
uv run          | ask runs_code check stop project_wrap | --with!installs --with-requirements!installs -p:
    --python: --extra: --group: --env-file<
uvx             | ask installs
uv pip install, uv pip sync, uv pip uninstall, uv sync, uv add, uv remove, uv lock, uv init, uv build, uv
    publish, uv venv, uv pip compile, uv tool install, uv tool run, uv cache clean, uv cache prune, uv
    export | ask installs | | pyproject.toml uv.lock

poetry, pdm, hatch, rye, pipenv | menu
poetry show, poetry check, poetry version, poetry about, poetry search, pdm list, pdm info, pipenv graph |
    run
poetry env      | menu
poetry env list, poetry env info | run
poetry run, pdm run, hatch run, rye run, pipenv run | ask runs_code check stop project_wrap
poetry install, poetry add, poetry remove, poetry update, poetry lock, poetry build, poetry publish, pdm
    install, pdm add, pdm sync, pipenv install, rye sync, hatch build, hatch test | ask installs | |
    pyproject.toml

mamba, micromamba | as conda
conda           | menu |
conda list, conda info, conda search, conda config | run | --remove-key!installs --write-default!installs
    --add!installs --set!installs --remove!installs --append!installs --prepend!installs
conda env       | menu
conda env list, conda env export | run | -f> --file>
conda run       | wrap | -n: -p: --name: --prefix: --cwd%
conda install, conda create, conda remove, conda update, conda clean | ask installs

npm             | menu | shared --prefix% -C% --registry! --userconfig! --globalconfig! --script-shell!
    --node-options! --browser!runs --viewer!runs --shell!runs --editor!runs --git!runs --cache> --logs-dir>
    --proxy! --https-proxy!
npm ls, npm list, npm ll, npm view, npm info, npm show, npm v, npm outdated, npm root, npm prefix, npm bin,
    npm whoami, npm ping, npm search, npm explain, npm why, npm help, npm fund, npm query, npm doctor, npm
    docs, npm completion | run
npm config, npm c, npm cache, npm pkg, npm dist-tag, npm owner, npm profile, npm team, npm token | menu
npm config get, npm config list, npm config ls, npm c get, npm cache ls, npm cache verify, npm pkg get, npm
    dist-tag ls, npm owner ls | run
npm audit       | check npm_audit
npm run, npm run-script | check npm_run | --silent -s | package.json
npm exec, npm x | ask runs_code check stop project_wrap | -y -c: --package!installs -p!installs
npx, bunx | ask runs_code check stop project_wrap | -y --yes -c! --call! --package!installs -p!installs
    --no-install
npm test, npm t, npm start, npm stop, npm restart, npm build | ask runs_code | | package.json
npm version, npm pack, npm init, npm create, npm set, npm link, npm rebuild, npm prune, npm dedupe, npm
    shrinkwrap | ask installs | | package.json
npm install, npm i, npm add, npm ci, npm uninstall, npm rm, npm remove, npm update, npm upgrade, npm
    install-test, npm cit, npm install-ci-test | ask installs | | package.json package-lock.json .npmrc
npm publish, npm unpublish, npm deprecate, npm login, npm logout, npm adduser | ask outward | | package.json

yarn            | check yarn | --cwd% | package.json
pnpm            | menu | -C% --dir% -r --recursive -F: --filter:
pnpm list, pnpm ls, pnpm ll, pnpm why, pnpm outdated, pnpm root, pnpm bin, pnpm licenses, pnpm help | run |
    --registry!
pnpm exec, pnpm dlx | ask runs_code check stop project_wrap
pnpm run, pnpm test, pnpm start, pnpm build, pnpm dev | ask runs_code | | package.json
pnpm install, pnpm i, pnpm add, pnpm remove, pnpm update, pnpm publish | ask installs | | package.json
    pnpm-lock.yaml
n               | sub
corepack, nvm, fnm, volta, asdf, mise | menu
nvm ls, nvm list, nvm current, nvm ls-remote, nvm which, fnm list, fnm current, volta list, asdf list, asdf
    current, asdf plugin-list, mise ls, mise current, mise list | run

cargo           | menu | shared --config!runs -C% --color: -Z!flag --list
cargo tree, cargo metadata, cargo locate-project, cargo search, cargo info, cargo help, cargo version, cargo
    verify-project, cargo read-manifest, cargo pkgid | run | --config!runs --registry! --index!
    --manifest-path:
cargo fmt       | run | --config-path!
cargo build, cargo b, cargo check, cargo c, cargo clippy, cargo test, cargo t, cargo run, cargo r, cargo
    bench, cargo doc, cargo d, cargo rustc, cargo fix, cargo package, cargo miri, cargo nextest, cargo
    expand | ask builds | | Cargo.toml Cargo.lock build.rs .cargo/config.toml
cargo install, cargo uninstall, cargo add, cargo remove, cargo update, cargo fetch, cargo vendor, cargo
    generate-lockfile, cargo init, cargo new, cargo upgrade, cargo audit, cargo deny, cargo outdated | ask
    installs | | Cargo.toml
cargo publish, cargo yank, cargo login, cargo owner | ask outward
cargo clean     | ask deletes
rustup          | menu
rustup show, rustup which, rustup help, rustup check | run
rustup toolchain, rustup target, rustup component | menu
rustup toolchain list, rustup target list, rustup component list | run
rustup run      | wrap 1 | --install!installs

gem             | menu
gem list, gem info, gem search, gem specification, gem which, gem env, gem environment, gem outdated, gem
    contents, gem dependency, gem help | run | --config-file!
gem install, gem update, gem uninstall, gem build, gem cleanup, gem exec | ask installs
gem push, gem yank | ask outward
bundle, bundler | ask installs | | Gemfile Gemfile.lock
composer        | ask installs | | composer.json
opam            | menu
mix, rebar3, stack, cabal, dune, sbt, lein, ghcup | ask builds
opam list, opam show | run
nuget           | ask installs

apt, apt-get | menu | -q -y -qq
apt list, apt show, apt search, apt policy, apt depends, apt rdepends, apt changelog, apt help | run |
    -o!flag --option!flag -c!flag
apt-cache       | menu | shared -o!flag --option!flag -c!flag --config-file!flag
apt-cache search, apt-cache show, apt-cache showpkg, apt-cache showsrc, apt-cache policy, apt-cache madison,
    apt-cache depends, apt-cache rdepends, apt-cache pkgnames, apt-cache stats, apt-cache unmet, apt-cache
    dump | run
apt-mark        | menu
apt-mark showmanual, apt-mark showauto, apt-mark showhold | run
apt-key         | menu
apt-key list, apt-key finger | run
update-alternatives | ask installs | --display~ --list~ --query~ --get-selections~
apt-get install, apt-get update, apt-get upgrade, apt-get remove, apt-get purge, apt-get autoremove, apt-get
    clean, apt-get dist-upgrade, apt install, apt update, apt upgrade, apt remove, apt purge, apt
    autoremove, apt full-upgrade, apt clean | ask installs
add-apt-repository, dpkg-reconfigure, snapd | ask installs
dpkg            | ask installs | -l~ --list~ -L~ --listfiles~ -s~ --status~ -S~ --search~ -p~ --print-avail~
    --get-selections~ -I~ -c~ --info~ --contents~ --audit~ -C~ --print-architecture~ --compare-versions~
    --verify~ -V~ --admindir! --root! --instdir! --pre-invoke! --post-invoke! -i!installs --install!installs
    -r!installs -P!installs --remove!installs --purge!installs --unpack!installs --configure!installs
dpkg-query      | run
dpkg-architecture | run | -c$ --command$ -a: -A: -q: -t: -T: -e: -i: -f
apt-config      | run | -o!flag --option!flag -c!flag --config-file!flag
rpm             | check rpm | -q~ --query~ -V~ --verify~ -K~ --checksig~ -E! --eval! --pipe! --define! -D!
    --root! --predefine! --rcfile! --load! -U!installs -F!installs -e!installs --install!installs
    --upgrade!installs --erase!installs --import!installs --initdb!installs --rebuilddb!installs
yum, dnf, zypper, microdnf, dnf history | menu
yum list, yum info, yum search, dnf list, dnf info, dnf search, dnf repolist, dnf history list, dnf history
    info, dnf provides, yum provides, yum repolist, zypper search, zypper info, zypper se | run | -c!
    --config! --installroot! --setopt!
apk             | menu
apk info, apk list, apk search, apk policy, apk version | run | --root! -p!
apk add, apk apk update, apk upgrade, apk fix | ask installs
pacman          | check pacman
brew            | menu
brew services   | menu
brew list, brew ls, brew info, brew search, brew outdated, brew deps, brew uses, brew leaves, brew config,
    brew help, brew home | run
brew services list, brew services info | run
brew install, brew uninstall, brew upgrade, brew update, brew cleanup, brew tap, brew bundle | ask installs
port            | sub
snap, flatpak, nix-env, guix | menu
snap list, snap info, snap find, flatpak list, flatpak info, port installed, port info | run
nix, nix-shell, nix-build, nix-instantiate | ask builds
"""

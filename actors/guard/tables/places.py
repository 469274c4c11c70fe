"""Paths that matter: where a file is run, loaded or trusted because of its name, and where secrets lie."""

from __future__ import annotations

import re
import sys

from placet.actors.guard.programs import words

DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"})
TEMPORARY = ("/tmp", "/var/tmp")

# Files in a home directory that shells and sessions run by themselves.
STARTUP = words(
    """
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
    .zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc
    .pam_environment .tmux.conf .screenrc .vimrc .gvimrc .exrc .nanorc .emacs .gdbinit .lldbinit .gitconfig
    .hgrc .npmrc .yarnrc .pypirc .pythonrc .irbrc .pryrc .psqlrc .sqliterc .my.cnf .curlrc .wgetrc .netrc .ackrc
    .lesskey .mailcap .forward .procmailrc .rhosts .shosts .config .local .ssh .gnupg .aws .kube .docker .azure
    .cargo .rustup .emacs.d .vim .oh-my-zsh .bashrc.d .zshrc.d
    """
)

# Files in any directory that make harmless programs run others, now or at the next command.
PROGRAM_NAMING = words(
    """
    .git .hg .husky .githooks .pre-commit-config.yaml lefthook.yml .lefthook.yml .envrc .tool-versions
    .terraform mise.toml .mise.toml rust-toolchain rust-toolchain.toml .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs
    pip.conf .terraformrc .vscode .idea .ssh .gnupg .bashrc .bash_profile .zshrc .zshenv .profile .gitconfig
    .cargo authorized_keys sitecustomize.py usercustomize.py
    """
)

# Files that hold keys, tokens or passwords, as patterns on the whole path.
SECRET = re.compile(
    r"""
    /\.ssh/(?!known_hosts|config$|[^/]*\.pub$) | /\.ssh/?$ | /\.gnupg(/|$) | /\.aws/(credentials|sso|cli)
    | /\.kube/config | /\.docker/config\.json | /\.netrc$ | /\.pgpass$ | /\.my\.cnf$ | /\.git-credentials$ | /\.pypirc$
    | /\.config/(gh/hosts|gcloud|op|rclone|hub) | /\.azure/ | /\.password-store | /\.vault-token$ | /\.cargo/credentials
    | /\.mozilla/ | /\.config/(google-chrome|chromium)/ | /etc/(g?shadow|sudoers|ssl/private|ssh/ssh_host_[^/]*_key$)
    | /proc/[^/]+/(environ|mem|maps) | /(id_rsa|id_dsa|id_ecdsa|id_ed25519)$ | /dev/(sd|nvme|vd|mem|kmem|disk|mapper)
    | /run/secrets/ | /var/run/secrets/ | (key|priv)[^/]{0,80}\.pem$ | \.(p12|pfx|keystore|jks|kdbx)$ | /\.npmrc$
    """,
    re.VERBOSE,
)
ALWAYS_NAMING = frozenset({".git", ".ssh", ".gnupg", ".husky"})
SYSTEM = re.compile(
    r"/(etc|bin|sbin|usr(?!/src/|/local/src/)|lib[0-9]*|boot|sys|proc|dev|var/(?!tmp/|www/|lib/|home/|folders/)|System|Library)(/|$)"
)
CRON = re.compile(r"/(etc|var/spool)/(cron|anacron|at)")
# Files in the workspace's root that Python would load in the place of a module of its own.
_UNLIKELY_MODULES = words("test code cmd this idlelib lib2to3 tkinter turtledemo turtle antigravity")
_MODULES = "|".join(sorted((sys.stdlib_module_names | {"pip"}) - _UNLIKELY_MODULES))
SHADOWING = re.compile(rf"({_MODULES})(\.py|\.pyc|\.so|/__init__\.py)")

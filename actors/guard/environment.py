"""Variables that change what other programs do."""

from __future__ import annotations

import re

# Names that programs read to find what they run, load, trust or send to.
_STEERING = re.compile(
    r"""
    (LD|DYLD|BASH|GIT|JAVA|_JAVA|JDK|MAVEN|GRADLE|MAKE|CARGO|RUSTC|RUSTUP|RUST|NODE|DOCKER|AWS|KUBE|GEM|BUNDLE|PIP|UV|POETRY
      |NPM|npm|YARN|SSH|SUDO|LESS|MAN|FZF|XDG|CURL|SSL|REQUESTS|ANSIBLE|TF|HELM|PSQL|PHP|LUA|OPENSSL|GCONV|MALLOC|PLACET
      |PYENV|RBENV|ASDF|MISE|NVM|HOMEBREW|CLOUDSDK|DOTNET|CORECLR|DENO|BUN|JULIA|R|ERL|VALGRIND|GTK|QT|GIO)_\w*
    | (PYTHON|PERL5|RUBY)\w* | PERLLIB | NODE_PATH | LESS(OPEN|CLOSE)? | MAN(PATH|PAGER|OPT) | MAKE(FLAGS|FILES) | RUSTC | RUSTFLAGS
    | GO(PATH|ROOT|FLAGS|PROXY|TOOLCHAIN|ENV|BIN|PRIVATE|NOSUMDB|SUMDB|CACHE(PROG)?|AUTH|VCS)
    | SSLKEYLOGFILE | KUBECONFIG | LOCPATH | NLSPATH | TERMINFO | TERMCAP
    | PATH | CDPATH | FPATH | MANPATH | CLASSPATH | HOME | ENV | IFS | PS[0-4] | PROMPT_COMMAND | SHELL | SHELLOPTS | FCEDIT
    | \w*PAGER | \w*EDITOR | VISUAL | BROWSER | CC | CXX | LD | AR | \w*_(COMMAND|WRAPPER|LAUNCHER|ASKPASS|PRELOAD|OPTS|OPTIONS)
    | (GREP|TAR|ZIP|UNZIP|XZ|GZIP|BZIP2?|ZSTD)(_\w*|OPT)? | (\w*_)?[Pp][Rr][Oo][Xx][Yy] | \w*CONFIG(_\w*)? | \w*RC | WGETRC
    """,
    re.VERBOSE,
)

# Exceptions: they change how a program prints or waits, nothing else.
_PLAIN = re.compile(
    r"""
    PYTHON(UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|HASHSEED|UTF8|FAULTHANDLER) | NODE_ENV | GIT_TERMINAL_PROMPT
    | GIT_OPTIONAL_LOCKS | GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE) | RUST_(LOG|BACKTRACE) | CARGO_TERM_\w+ | GO(OS|ARCH)
    | AWS_(REGION|DEFAULT_REGION|PROFILE|DEFAULT_OUTPUT) | DOCKER_BUILDKIT | MANWIDTH | XDG_SESSION_TYPE | LESSCHARSET
    | HOMEBREW_NO_\w+ | DOTNET_(NOLOGO|CLI_TELEMETRY_OPTOUT)
    """,
    re.VERBOSE,
)
_SYSTEM_PATH = re.compile(r"(/usr(/local)?)?/s?bin(:(/usr(/local)?)?/s?bin)*")
_TRACES = re.compile(r"GIT_(TRACE\w*|CURL_VERBOSE)")
_PAGERS = re.compile(r"\w*PAGER|\w*EDITOR|LESS")


def steers(name: str, value: str | None) -> bool:
    """Whether setting a variable can make another program run, load or send something.

    Args:
        name: the variable.
        value: its value, None if unknown.
    """
    if _PLAIN.fullmatch(name):
        return False
    if _PAGERS.fullmatch(name) and value in {"", "cat", "true", ":", "-R", "-FRX"}:
        return False
    if _TRACES.fullmatch(name) and value in {"0", "1", "2", "true", "false"}:  # another value names a file
        return False
    if name == "PATH" and value is not None and _SYSTEM_PATH.fullmatch(value):
        return False
    return _STEERING.fullmatch(name) is not None

"""Code for the programs that a row cannot describe, by the names that the tables use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.guard.checks import archives, carriers, databases, files, git, misc, network, shell, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from placet.actors.guard.call import Call, Judge

CHECKS: Mapping[str, Callable[[Judge, Call], None]] = {
    "alias": shell.alias, "declare": shell.declare, "getopts": shell.getopts, "let": shell.let,
    "printf": shell.printf, "read": shell.read, "set": shell.set_, "shopt": shell.shopt, "source": shell.source,
    "test": shell.test, "trap": shell.trap, "unset": shell.unset,
    "code": carriers.code, "docker_run": carriers.docker_run, "env": carriers.env, "fd": carriers.fd, "find": carriers.find,
    "flock": carriers.flock, "foreign_shell": carriers.foreign_shell, "kubectl_exec": carriers.kubectl_exec,
    "make": carriers.make, "opaque": carriers.opaque, "parallel": carriers.parallel, "project_wrap": carriers.project_wrap,
    "python": carriers.python, "script": carriers.script, "shell": carriers.shell, "ssh": carriers.ssh, "su": carriers.su,
    "sudo": carriers.sudo, "xargs": carriers.xargs,
    "awk": text.awk, "calculator": text.calculator, "sed": text.sed, "uniq": text.in_and_out,
    "xxd": text.in_and_out, "yq": text.yq,
    "chmod": files.chmod, "date": files.date, "getent": files.getent, "dd": files.dd, "ln": files.ln, "mktemp": files.mktemp,
    "split": files.split,
    "git": git.globals_, "git_checkout": git.checkout, "git_clone": git.clone, "git_config_command": git.config,
    "git_reset": git.reset, "git_restore": git.restore, "git_stash": git.stash, "git_symbolic_ref": git.symbolic_ref,
    "git_url": git.url,
    "curl": network.curl, "gh_api": network.gh_api, "httpie": network.httpie, "ifconfig": network.ifconfig, "ip": network.ip,
    "lookup": network.lookup, "openssl": network.openssl,
    "shows_only": network.shows_only, "wget": network.wget,
    "compress": archives.compress, "jar": archives.jar, "seven_zip": archives.seven_zip, "tar": archives.tar,
    "unzip": archives.unzip, "zip": archives.zip_,
    "redis": databases.redis, "sql": databases.sql, "sqlite": databases.sqlite,
    "kubectl_get": misc.kubectl_get, "npm_audit": misc.npm_audit, "npm_run": misc.npm_run,
    "pacman": misc.pacman, "listing": misc.listing,
    "pager": misc.pager,
    "rpm": misc.rpm, "service": misc.service, "sysctl": misc.sysctl,
    "tsc": misc.tsc, "yarn": misc.yarn,
}  # fmt: skip

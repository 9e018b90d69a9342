#!/usr/bin/python3 -B
"""What contrib.bats says of files for fleets.

usage: tests/cli/contrib.py rules       each is tested, and uses metrics that there are
       tests/cli/contrib.py workflow    it runs the tests that README names, and caches what there is
       tests/cli/contrib.py containers  what they run and copy is there, and they agree with the unit
"""
import json
import pathlib
import re
import subprocess
import sys

import yaml


def rules():
    rules = [rule for group in yaml.safe_load(open("contrib/prometheus/rules.yml"))["groups"] for rule in group["rules"]]
    tests = pathlib.Path("contrib/prometheus/rules.test.yml").read_text()
    served = "".join(path.read_text() for path in pathlib.Path("tests/unit/golden").glob("openmetrics*.prom"))
    recorded = {rule["record"] for rule in rules if "record" in rule}
    for rule in rules:
        name = rule.get("alert")
        assert not name or tests.count(f"alertname: {name}\n") >= 2, f"{name} is not tested both ways"
        for metric in re.findall(r"[a-z_:]*netstacklat_[a-z0-9_:]+", rule["expr"]):
            assert metric in recorded or f"\n{metric}{{" in served or f"\n{metric} " in served, metric


def workflow():
    workflow = yaml.safe_load(open(".github/workflows/check.yml"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    # YAML 1.1 takes the word "on" for a truth value.
    assert workflow["on" if "on" in workflow else True].keys() == {"push", "pull_request"}, workflow
    assert workflow["permissions"] == {"contents": "read"}, workflow["permissions"]
    commands = [step["run"] for step in steps if "run" in step]
    assert commands == ["make check"] and all(f"    {command} " in pathlib.Path("CONTRIBUTING.md").read_text() for command in commands)
    keys = [step["with"]["key"] for step in steps if "key" in step.get("with", {})]
    files = [file for key in keys for file in re.findall(r"'([^']*)'", key)]
    assert files and all(pathlib.Path(file).is_file() for file in files), files
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]) for step in steps if "uses" in step), steps


def accepts(options):
    subprocess.run(["./netstacklat", *options, "-V"], check=True)


def check_containerfile():
    lines = pathlib.Path("contrib/Containerfile").read_text().splitlines()
    accepts(json.loads(next(line for line in lines if line.startswith("CMD "))[len("CMD "):]))
    for line in lines:
        if line.startswith("COPY ") and "--from" not in line:
            assert pathlib.Path(line.split()[1]).exists(), line


def check_daemonset():
    daemonset = yaml.safe_load(open("contrib/kubernetes/daemonset.yaml"))
    pod = daemonset["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    accepts([option.replace("$(NODE_IP)", "192.0.2.1") for option in container["args"]])
    assert "$(NODE_IP)" in container["args"][-1] and container["env"][0]["name"] == "NODE_IP"
    port = container["ports"][0]["containerPort"]
    assert container["args"][-1].endswith(f":{port}")
    assert pod["metadata"]["annotations"]["prometheus.io/port"] == str(port)
    assert pod["metadata"]["labels"] == daemonset["spec"]["selector"]["matchLabels"]
    unit = pathlib.Path("contrib/netstacklat.service").read_text()
    assert f"MemoryMax={container['resources']['limits']['memory'].removesuffix('i')}\n" in unit
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["BPF", "PERFMON", "SETUID", "SETGID"]}
    # What it looks at outside of its own file system, as the sources name it.
    folders = {volume["name"]: volume["hostPath"]["path"] for volume in pod["spec"]["volumes"]}
    assert {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]} == folders
    assert all(mount["readOnly"] for mount in container["volumeMounts"])
    logs = re.search(r'^#define LOGS "(.*)"$', pathlib.Path("lib/host/container.c").read_text(), re.MULTILINE)
    assert set(folders.values()) == {"/sys/fs/cgroup", logs[1]}


def containers():
    check_containerfile()
    check_daemonset()


{"rules": rules, "workflow": workflow, "containers": containers}[sys.argv[1]]()

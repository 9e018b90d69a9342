#!/usr/bin/python3
"""What ebpf_exporter asks of its configuration, and what it makes of the maps that this tells of.

usage: ebpf_exporter.py check CONFIG
           says what it would not take
       ebpf_exporter.py maps CONFIG
           prints the maps that it would read
       ebpf_exporter.py metrics CONFIG ENTRIES...
           prints metrics as JSON, a list of those of each file with entries as tests/vm/ebpf_exporter.c
           prints them: discards as {HOOK: {CAUSE: COUNT}}, histograms as
           {HOOK: {"buckets": {LE: COUNT}, "count": COUNT, "sum": NS}}
"""
import collections
import json
import re
import sys

import yaml

# As in config/config.go: the keys of each struct with their types, and what it or its users insist on. Its parser
# ignores keys that it does not know, so they are mistakes.
DECODER = {"name": str, "static_map": dict, "regexps": list, "allow_unknown": bool}
LABEL = {"name": str, "size": int, "padding": int, "decoders": [DECODER]}
COUNTER = {"name": str, "help": str, "perf_event_array": bool, "flush_interval": str, "labels": [LABEL]}
HISTOGRAM = {"name": str, "help": str, "bucket_type": str, "bucket_multiplier": (int, float), "bucket_min": int,
             "bucket_max": int, "bucket_keys": list, "labels": [LABEL]}
CONFIG = {"metrics": {"counters": [COUNTER], "histograms": [HISTOGRAM]}, "kaddrs": list}
# validateConfig() in config/config.go, and decodeLabels() in decoder/decoder.go
NEEDED = {id(COUNTER): ["name", "help", "labels"], id(HISTOGRAM): ["name", "help", "bucket_type", "labels"],
          id(LABEL): ["name", "size", "decoders"], id(DECODER): ["name"], id(CONFIG): ["metrics"]}
# NewSet() in decoder/decoder.go, as far as they take numbers or text
DECODERS = ["cgroup", "dname", "errno", "hex", "ifname", "inet_ip", "kstack", "ksym", "majorminor", "pci_class",
            "pci_device", "pci_subclass", "pci_vendor", "regexp", "static_map", "string", "syscall", "uint"]
# HistogramBucketType in config/config.go
BUCKET_TYPES = ["exp2", "exp2zero", "linear", "fixed"]


def misfits(value, shape, where):
    """How a value differs from what it is to be: a type, a list of one shape, or the keys of a struct."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{where}: not a list"]
        return [found for i, item in enumerate(value) for found in misfits(item, shape[0], f"{where}[{i}]")]
    if not isinstance(shape, dict):
        return [] if isinstance(value, shape) else [f"{where}: {value!r} is not {shape}"]
    if not isinstance(value, dict):
        return [f"{where}: not a mapping"]
    found = [f"{where}: lacks {key}" for key in NEEDED.get(id(shape), []) if not value.get(key)]
    for key, item in value.items():
        found += misfits(item, shape[key], f"{where}.{key}") if key in shape else [f"{where}: unknown key {key}"]
    return found


def misfits_of_label(label, where):
    names = [decoder["name"] for decoder in label["decoders"]]
    found = [f"{where}: no decoder {name}" for name in names if name not in DECODERS]
    # Decode() in decoder/uint.go
    if "uint" in names and label["size"] not in (1, 2, 4, 8):
        found.append(f"{where}: no number has {label['size']} bytes")
    for decoder in label["decoders"]:
        # A map of strings to strings in Go.
        for key, value in decoder.get("static_map", {}).items():
            if not isinstance(key, str) or not isinstance(value, str):
                found.append(f"{where}: {key!r}: {value!r} in a map of strings")
    return found


def misfits_of_metric(metric, where):
    found = []
    # prometheus.BuildFQName() puts ebpf_exporter_ in front.
    if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", metric["name"]):
        found.append(f"{where}: no name of a metric")
    for label in metric["labels"]:
        found += misfits_of_label(label, f"{where}, label {label['name']}")
    names = [label["name"] for label in metric["labels"]]
    found += [f"{where}: two labels are called {name}" for name in set(names) if names.count(name) > 1]
    if "bucket_type" in metric:
        if metric["bucket_type"] not in BUCKET_TYPES:
            found.append(f"{where}: no bucket type {metric['bucket_type']}")
        # transformHistogramDynamic() in exporter/histogram.go
        if metric.get("bucket_max", 0) <= metric.get("bucket_min", 0):
            found.append(f"{where}: no buckets")
        # The last label is the bucket: strconv.ParseUint() in exporter/exporter.go must take it.
        if metric["labels"][-1]["decoders"][-1]["name"] != "uint":
            found.append(f"{where}: the last label is no bucket")
    return found


def metrics_of(config):
    return config["metrics"].get("counters", []) + config["metrics"].get("histograms", [])


def check(config):
    found = misfits(config, CONFIG, "config")
    if not found and not metrics_of(config):
        found = ["config: no metrics"]
    if not found:
        found = [misfit for metric in metrics_of(config) for misfit in misfits_of_metric(metric, metric["name"])]
    sys.exit("\n".join(found) or None)


def decode(part, decoders):
    """Decode() of decoder/uint.go and decoder/static_map.go, one after the other."""
    for decoder in decoders:
        if decoder["name"] == "uint":
            part = str(int.from_bytes(part, sys.byteorder))
        elif decoder["name"] == "static_map":
            part = decoder["static_map"].get(part, f"unknown:{part}")
        else:
            sys.exit(f"no {decoder['name']} here")
    return part


def labels_of(key, labels):
    """decodeLabels() in decoder/decoder.go"""
    assert len(key) == sum(label["size"] + label.get("padding", 0) for label in labels), key
    values = []
    for label in labels:
        values.append(decode(key[:label["size"]], label["decoders"]))
        key = key[label["size"] + label.get("padding", 0):]
    return tuple(values)


def read_entries(config, path):
    """readMapValues() and aggregateMapValues() in exporter/exporter.go: what has the same labels is added up."""
    labels = {metric["name"]: metric["labels"] for metric in metrics_of(config)}
    maps = {name: collections.Counter() for name in labels}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            name, key, *values = line.split()
            maps[name][labels_of(bytes.fromhex(key), labels[name])] += sum(map(int, values))
    return maps


def histogram_of(metric, slots):
    """transformHistogramDynamic() in exporter/histogram.go, with bounds in ns"""
    assert metric["bucket_type"] == "exp2" and metric["bucket_multiplier"] == 1e-9
    first, last = metric["bucket_min"], metric["bucket_max"]
    count, buckets = 0, {}
    for slot in range(first, last + 1):
        count += slots[str(slot)]
        buckets[2 ** slot] = count
    return {"buckets": buckets, "count": count, "sum": slots[str(last + 1)]}


def metrics(config, path):
    maps, made = read_entries(config, path), {}
    for metric in metrics_of(config):
        by_hook = collections.defaultdict(collections.Counter)
        for (hook, last), value in maps[metric["name"]].items():
            by_hook[hook][last] += value
        if "bucket_type" in metric:
            by_hook = {hook: histogram_of(metric, slots) for hook, slots in by_hook.items()}
        made[metric["name"]] = by_hook
    return made


with open(sys.argv[2], encoding="utf-8") as file:
    loaded = yaml.safe_load(file)
if sys.argv[1] == "check":
    check(loaded)
elif sys.argv[1] == "maps":
    print(*(metric["name"] for metric in metrics_of(loaded)))
else:
    print(json.dumps([metrics(loaded, path) for path in sys.argv[3:]]))

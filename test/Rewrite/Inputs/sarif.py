"""Checks a SARIF log for what the format requires, applies each fix in memory, and prints the results."""

import json
import sys
import urllib.parse


def keys(thing, required, optional=()):
    missing = set(required) - set(thing)
    unknown = set(thing) - set(required) - set(optional)
    assert not missing and not unknown, (missing, unknown, thing)


with open(sys.argv[1], "rb") as data:
    raw = data.read()
log = json.loads(raw.decode("utf-8"))
keys(log, ["$schema", "version", "runs"])
assert log["version"] == "2.1.0" and "sarif-schema-2.1.0.json" in log["$schema"]
(run,) = log["runs"]
keys(run, ["tool", "columnKind", "results"], ["originalUriBaseIds"])
assert run["columnKind"] == "unicodeCodePoints"
driver = run["tool"]["driver"]
keys(driver, ["name", "version", "rules"])
assert driver["name"] == "hk-opt" and driver["version"]
rules = driver["rules"]
for rule in rules:
    keys(rule, ["id", "shortDescription"])
    assert rule["shortDescription"]["text"]
assert len({rule["id"] for rule in rules}) == len(rules)
bases = {name: base["uri"] for name, base in run.get("originalUriBaseIds", {}).items()}
assert all(base.startswith("file:///") and base.endswith("/") for base in bases.values())


def artifact(location):
    keys(location, ["uri"], ["uriBaseId"])
    uri = location["uri"]
    assert uri == urllib.parse.quote(urllib.parse.unquote(uri), safe="-._~/!$&'()*+,;=:@"), uri
    if "uriBaseId" in location:
        assert not uri.startswith("/") and ":" not in uri
        return location["uriBaseId"] + ":" + uri, bases[location["uriBaseId"]] + uri
    assert uri.startswith("file:///")
    return uri, uri


def physical(location):
    keys(location, ["artifactLocation", "region"])
    region = location["region"]
    keys(region, ["startLine"], ["startColumn"])
    assert region["startLine"] >= 1 and region.get("startColumn", 1) >= 1
    return "%s %d:%d" % (
        artifact(location["artifactLocation"])[0], region["startLine"], region.get("startColumn", 0),
    )


def offset(text, line, column):
    """Byte offset of a line and a column in code points."""
    lines = text.decode().split("\n")
    before = "\n".join(lines[: line - 1] + [lines[line - 1][: column - 1]])
    return len(before.encode())


def apply(change):
    name, uri = artifact(change["artifactLocation"])
    with open(urllib.parse.unquote(uri[len("file://") :]), "rb") as data:
        text = data.read()
    edits = []
    for replacement in change["replacements"]:
        keys(replacement, ["deletedRegion", "insertedContent"])
        keys(replacement["insertedContent"], ["text"])
        region = replacement["deletedRegion"]
        keys(region, ["byteOffset", "byteLength", "startLine", "startColumn", "endLine", "endColumn"])
        begin = region["byteOffset"]
        end = begin + region["byteLength"]
        # Both ways to say where must say the same.
        assert offset(text, region["startLine"], region["startColumn"]) == begin, region
        assert offset(text, region["endLine"], region["endColumn"]) == end, region
        edits.append((begin, end, replacement["insertedContent"]["text"].encode()))
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    print("  fix %s %r" % (name, text.decode()))


for result in run["results"]:
    keys(
        result,
        ["ruleId", "ruleIndex", "kind", "level", "message", "locations", "properties"],
        ["relatedLocations", "fixes"],
    )
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    # A level other than "none" is valid for this kind only.
    assert result["kind"] == "fail" and result["level"] in ("note", "warning", "error")
    print("%s %s: %s" % (result["level"], result["ruleId"], result["message"]["text"]))
    for location in result["locations"]:
        keys(location, [], ["physicalLocation", "logicalLocations"])
        logical = location.get("logicalLocations", [])
        inside = "".join(" in " + function["name"] for function in logical)
        print("  at " + physical(location["physicalLocation"]) + inside)
    for index, related in enumerate(result.get("relatedLocations", [])):
        keys(related, ["id", "message"], ["physicalLocation"])
        assert related["id"] == index
        where = related.get("physicalLocation")
        print("  see %s: %s" % (physical(where) if where else "nothing", related["message"]["text"]))
    properties = result["properties"]
    keys(properties, ["outcome", "obligations", "effects"])
    facts = [properties["outcome"]]
    facts += ["%(state)s %(text)s (%(how)s)" % o for o in properties["obligations"]]
    facts += ["%(quantity)s %(before)s -> %(after)s" % e for e in properties["effects"]]
    print("  " + ", ".join(facts))
    for fix in result.get("fixes", []):
        keys(fix, ["description", "artifactChanges"])
        for change in fix["artifactChanges"]:
            apply(change)

#!/bin/bash
# The JSON schema and the parser agree: each valid policy of the cases satisfies the schema, and the
# mistakes of shape that the parser refuses, the schema refuses too.
. "$(dirname "$0")/lib.sh"
SANDBOX=$sandbox ROOT=$root WORK=$work python3 - <<'EOT' || fail "the schema"
import glob, json, os, re, subprocess, sys
import jsonschema, tomli

root, sandbox, work = (os.environ[name] for name in ("ROOT", "SANDBOX", "WORK"))
schema = json.load(open(f"{root}/docs/reference/policy.schema.json"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

def accepted(text):
    path = f"{work}/policy.toml"
    open(path, "wb").write(text)
    return subprocess.run([sandbox, "validate", "--config", path], capture_output=True).returncode == 0

valid = wrong = 0
for name in glob.glob(f"{root}/tests/cases/*.cases"):
    for case in open(name, "rb").read().split(b"\n=== "):
        found = re.search(rb"^== policy\n(.*?)(?=^== |\Z)", case, re.S | re.M)
        if not found:
            continue
        text = found.group(1)
        if accepted(text):
            valid += 1
            errors = list(validator.iter_errors(tomli.loads(text.decode())))
            if errors:
                sys.exit(f"{name}: the schema refuses what the parser accepts: {errors[0].message}\n{text.decode()}")

for text in ['whitlist = true', 'home = "privat"', 'ro = "x"', 'ro = [1]', 'tty = "yes"', 'whitelist = false',
             'bind = [{source = "/a"}]', 'bind = [{source = "/a", target = "/b", mod = "ro"}]', 'env = ["A-B"]',
             'env = ["*"]', 'require = ["mask"]', 'profile = 1', '[profile."a b"]', '[profile.a]\nprofile = {}',
             'network = true', 'workspace = ""', 'command = "x"']:
    wrong += 1
    if accepted(text.encode()):
        sys.exit(f"the parser accepts: {text}")
    if validator.is_valid(tomli.loads(text)):
        sys.exit(f"the schema accepts: {text}")
print(f"ok: {valid} valid policies, {wrong} wrong ones")
if valid < 40:
    sys.exit("too few policies: the cases were not found")
EOT
finish

#!/usr/bin/env bash
# Question: what of a valid component of IP-XACT, one bus with one signal and one port of 8 bits, does ipyxact's
#   Component.load know, and what is left after Component.write?
# Usual guess: all of it, in the form of 1685-2009 as in that of 1685-2014; ipyxact says that it reads and writes both.
# Versions: ipyxact 0.3.2
# Behaviour: of the form of 2009 it drops the range of the port (<vector> within <wire>), of that of 2014 the signals of
#   the bus (<portMaps> within <abstractionTypes>). Neither raises; a file that is loaded and written lacks them for good.
#   (Its other module, ipyxact.ipxact2014, has them for the form of 2014.)
# Why it matters: Vivado writes the form of 2009. A script that edits its component.xml with ipyxact makes every port one bit
#   wide, and a generator of bus connections of 2014 files finds no signals; tests of emitted IP-XACT have to know which
#   half they see.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ipyxact==0.3.2
cd "$folder"
cat > component.py <<'PYTHON'
import re, sys
from ipyxact.ipyxact import Component

FORMS = {
    "1685-2009": ("spirit", "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"),
    "1685-2014": ("ipxact", "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"),
}


def vlnv(prefix, name):
    return " ".join(f'{prefix}{key}="{value}"' for key, value in (
        ("vendor", "v"), ("library", "l"), ("name", name), ("version", "1")))


def document(form):
    p, uri = FORMS[form]
    old = form == "1685-2009"
    a = f"{p}:" if old else ""
    maps = f"""<{p}:portMaps><{p}:portMap><{p}:logicalPort><{p}:name>TDATA</{p}:name></{p}:logicalPort>
      <{p}:physicalPort><{p}:name>data</{p}:name></{p}:physicalPort></{p}:portMap></{p}:portMaps>"""
    kind = f"<{p}:abstractionType {vlnv(a, 'b_rtl')}/><{p}:slave/>{maps}" if old else (
        f"<{p}:abstractionTypes><{p}:abstractionType><{p}:abstractionRef {vlnv(a, 'b_rtl')}/>{maps}"
        f"</{p}:abstractionType></{p}:abstractionTypes><{p}:slave/>")
    vector = f"<{p}:vector><{p}:left>7</{p}:left><{p}:right>0</{p}:right></{p}:vector>"
    vector = vector if old else f"<{p}:vectors>{vector}</{p}:vectors>"
    return f"""<?xml version="1.0"?>
<{p}:component xmlns:{p}="{uri}">
<{p}:vendor>v</{p}:vendor><{p}:library>l</{p}:library><{p}:name>c</{p}:name><{p}:version>1</{p}:version>
<{p}:busInterfaces><{p}:busInterface><{p}:name>b</{p}:name><{p}:busType {vlnv(a, 'b')}/>{kind}</{p}:busInterface></{p}:busInterfaces>
<{p}:model><{p}:ports><{p}:port><{p}:name>data</{p}:name><{p}:wire><{p}:direction>in</{p}:direction>{vector}</{p}:wire></{p}:port></{p}:ports></{p}:model>
</{p}:component>"""


for form in FORMS:
    open(f"{form}.xml", "w").write(document(form))
    component = Component()
    component.load(f"{form}.xml")
    component.write(f"{form}.out.xml")
    before, after = open(f"{form}.xml").read(), open(f"{form}.out.xml").read()
    (bus,), (port,) = component.busInterfaces.busInterface, component.model.ports.port
    names = [m.physicalPort.name for m in bus.portMaps.portMap] if bus.portMaps else []
    vectors = getattr(port.wire, "vectors", None)
    width = [(v.left, v.right) for v in vectors.vector] if vectors else []
    kept = {tag: len(re.findall(rf"<\w+:{tag}\b", after)) for tag in ("portMap", "vector")}
    print(form, "bus signals", names, "width", width, "written again", kept)
PYTHON
venv/bin/python component.py > output
diff - output <<'SEEN'
1685-2009 bus signals ['data'] width [] written again {'portMap': 1, 'vector': 0}
1685-2014 bus signals [] width [(7, 0)] written again {'portMap': 0, 'vector': 1}
SEEN
echo "as seen"

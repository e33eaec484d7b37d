"""Model files as an attacker would make them: sealed again after each change, so that only the content can tell."""

import hashlib
import io
import json
import zipfile

import numpy as np


def members_of(data):
    """The members of a model file by name, unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def zip_of(members, *, seal=True):
    """A zip with these members; sealed ones carry a manifest that matches, as a clever attacker's would."""
    members = dict(members)
    if seal:
        parts = {name: data for name, data in members.items() if name != "manifest.json"}
        listed = {n: {"bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in parts.items()}
        members["manifest.json"] = json.dumps({"format": "understudy-model/1", "members": listed}).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


def changed(whole, name, change):
    """The file with one JSON part changed and sealed again."""
    members = members_of(whole)
    document = json.loads(members[name])
    change(document)
    members[name] = json.dumps(document).encode()
    return zip_of(members)


def npy(array):
    """An array as numpy writes it, objects included."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def claiming(shape, dtype="<f8", data=b""):
    """An array file whose header claims a shape, whatever comes after it."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data

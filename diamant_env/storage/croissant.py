"""Folder of arrays with a Croissant description, JSON-LD metadata of machine-learning data sets.

Akhtar et al.: Croissant, a metadata format for ML-ready datasets (2024); the format is that of
http://mlcommons.org/croissant/1.1.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json, versions

DESCRIPTION = "croissant.json"
_TERMS = """
arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet format includes
isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate
separator source subField transform"""
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: {"@id": f"cr:{name}", "@type": "@json"} for name in ("data", "examples")},
    **{name: {"@container": "@language"} for name in ("description", "name")},
    **{name: f"cr:{name}" for name in _TERMS.split()},
}
"""The context that the specification prescribes."""


def write_arrays(
    folder: Path, about: Mapping[str, str], files: Mapping[str, Mapping[str, np.ndarray]], meanings: Mapping[str, str]
) -> None:
    """Write ``NAME.npz`` for each file and `DESCRIPTION`, which names each array with dtype and size.

    Args:
        folder: The folder, which is created if missing.
        about: ``name`` and ``description`` of the data set.
        files: Arrays by file and name; all of a file have the same length, one row per record.
        meanings: Meaning of each array.
    """
    objects, records = [], []
    for file, arrays in files.items():
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
        content = buffer.getvalue()
        write_whole(folder / f"{file}.npz", content)
        objects.append(
            {
                "@type": "cr:FileObject",
                "@id": f"{file}.npz",
                "name": f"{file}.npz",
                "description": "NumPy's format of named arrays",
                "contentUrl": f"{file}.npz",
                "contentSize": f"{len(content)} B",
                "encodingFormat": "application/zip",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )
        fields = [_field(file, name, array, meanings[name]) for name, array in arrays.items()]
        records.append({"@type": "cr:RecordSet", "@id": file, "name": file, "field": fields})
    version = versions().get("diamant-env", "unknown")
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        **about,
        "version": version,
        "license": "https://spdx.org/licenses/MIT",
        "citeAs": f"The diamant_env authors: diamant_env {version}",
        "creator": {"@type": "sc:Organization", "name": "The diamant_env authors"},
        "distribution": objects,
        "recordSet": records,
    }
    save_json(described, folder / DESCRIPTION)


def _field(file: str, name: str, array: np.ndarray, meaning: str) -> dict[str, Any]:
    """Return the description of an array, one value or array per record."""
    kind = array.dtype.name.replace("i", "I", 1).replace("f", "F", 1).replace("u", "U", 1)
    shape = {"isArray": True, "arrayShape": ",".join(map(str, array.shape[1:]))} if array.ndim > 1 else {}
    return {
        "@type": "cr:Field",
        "@id": f"{file}/{name}",
        "name": name,
        "description": f"{array.dtype.name} {array.shape}: {meaning}",
        "dataType": f"cr:{kind}",
        **shape,
        "source": {"fileObject": {"@id": f"{file}.npz"}, "extract": {"column": name}},
    }

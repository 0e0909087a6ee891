"""Runs a notebook from its first cell to its last; an error in any ends with an error.

usage: run_notebook.py NOTEBOOK [--save]     --save keeps the outputs in the file
"""

import sys

import nbformat
from nbclient import NotebookClient


def main() -> None:
    path, *options = sys.argv[1:]
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=240, kernel_name="python3")
    client.execute()
    if "--save" in options:
        # When a cell ran, and with which kernel, is no part of the page.
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(notebook, path)
    pictures = sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
    print(f"{path}: {len(notebook.cells)} cells ran, {pictures} pictures")


main()

// Files: those within the page, and those that are dropped or chosen.

import { fromBase64 } from './module.js';

/** The files within the page: name, description, whether it is shown first, bytes. */
export function embedded() {
  return [...document.querySelectorAll('script[data-file]')].map((element) => ({
    name: element.dataset.file,
    title: element.dataset.title ?? element.dataset.file,
    description: element.dataset.description ?? '',
    isFirst: element.dataset.first !== undefined,
    // Beside the files that it comes with, such as a buffer of a glTF document.
    isBeside: element.dataset.beside !== undefined,
    bytes: () => fromBase64(element.textContent),
  }));
}

/** Of files that come together, the one to open: a document names the others. */
export function mainFile(files) {
  const first = (pattern) => files.find(({ name }) => pattern.test(name));
  return first(/\.(gltf|glb)$/i) ?? first(/\.(csv|bltrace|obj|ply|stl)$/i) ?? first(/\.(?!bin$)[^.]*$/i) ?? files[0];
}

/** Has files that are dropped on the page, or chosen, opened: `open(files)`. */
export function onFiles(open) {
  const veil = document.getElementById('drop');
  let depth = 0;
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  const show = (change) => {
    depth = Math.max(depth + change, 0);
    veil.hidden = depth === 0;
  };
  window.addEventListener('dragenter', (event) => hasFiles(event) && show(1));
  window.addEventListener('dragleave', (event) => hasFiles(event) && show(-1));
  window.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    show(0);
    if (event.dataTransfer.files.length > 0) open([...event.dataTransfer.files]);
  });
  const input = document.getElementById('file');
  input.addEventListener('change', () => {
    if (input.files.length > 0) open([...input.files]);
    input.value = '';
  });
}

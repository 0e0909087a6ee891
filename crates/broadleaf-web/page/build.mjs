// node build.mjs MODULE.wasm OUT.html [FILE TITLE DESCRIPTION]...: one page with everything in it.
//
// The module is packed with gzip, which browsers unpack themselves. The first file is what the page
// shows first. The names of these files have a slash, as no file that is dropped has: none replaces them.

import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BYTES_MAX = 3_000_000;

const [modulePath, outPath, ...rest] = process.argv.slice(2);
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');

const { outputFiles } = await build({
  entryPoints: [join(source, 'main.js')], bundle: true, minify: true, write: false, outdir: 'out',
  format: 'iife', target: 'es2022', legalComments: 'inline', charset: 'utf8',
});
const output = (extension) => outputFiles.find(({ path }) => path.endsWith(extension)).text;
// Text within a script element must not end it.
const script = output('.js').replaceAll('</script', '<\\/script');

const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const files = [];
for (let index = 0; index < rest.length; index += 3) {
  const [path, title, description] = rest.slice(index, index + 3);
  const first = index === 0 ? ' data-first' : '';
  files.push(
    `<script type="application/octet-stream" data-file="built-in/${attribute(basename(path))}" data-title="${attribute(title)}" `
    + `data-description="${attribute(description)}"${first}>${readFileSync(path).toString('base64')}</script>`,
  );
}

const parts = {
  '/*STYLE*/': output('.css'),
  MODULE_BYTES: gzipSync(readFileSync(modulePath), { level: 9 }).toString('base64'),
  // The mark stays: `broadleaf view` puts a file of its own before it.
  '<!-- FILES -->': `${files.join('\n')}\n<!-- FILES -->`,
  '/*SCRIPT*/': script,
};
let page = readFileSync(join(source, 'index.html'), 'utf8');
for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text);
writeFileSync(outPath, page);

const size = Buffer.byteLength(page);
console.log(`${outPath}: ${size} bytes; the module ${parts.MODULE_BYTES.length}, the script ${script.length}`);
if (size > BYTES_MAX) {
  console.error(`the page has more than ${BYTES_MAX} bytes`);
  process.exit(1);
}

// node tests/pinned.mjs FILE.wasm: compares the pinned results of the library's tests.
import { readFileSync } from 'node:fs';

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory, tables, compare_table, message, message_len } = instance.exports;
const text = () => new TextDecoder().decode(new Uint8Array(memory.buffer, message(), message_len()));

let hashes = 0;
const count = tables();
for (let index = 0; index < count; index += 1) {
  try {
    const equal = compare_table(index);
    console.log(`${equal} hashes of ${text()} are equal`);
    hashes += equal;
  } catch (error) {
    console.error(`${error.message}: ${text()}`);
    process.exit(1);
  }
}
console.log(`all ${hashes} pinned hashes are equal`);

// The module of WebAssembly: commands and answers as JSON, buffers of floats.

/** Bytes from base64. */
export function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** A fault of the module itself: it cannot be used any more. */
export class ModuleFault extends Error {}

export class ViewerModule {
  /** The module from the packed bytes within the page. */
  static async unpack(packed) {
    return ViewerModule.from(await unpack(packed));
  }

  static async from(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, { page: { now: () => performance.now() } });
    return new ViewerModule(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
    exports.start();
    this.catalog = this.send({ do: 'catalog' });
    this.numbers = new Map(this.catalog.buffers.map((name, number) => [name, number]));
  }

  /** Runs a command. What is wrong is an Error with the message of the library. */
  send(command) {
    const bytes = new TextEncoder().encode(JSON.stringify(command));
    const outcome = JSON.parse(this.call(() => {
      this.write(bytes);
      const length = this.exports.send();
      return this.read(this.exports.answer(), length);
    }));
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome.answer;
  }

  /** Hands over a file; one on trial is kept only if the next source opens. */
  file(name, bytes, onTrial = false) {
    this.send({ do: 'file', name, onTrial });
    this.call(() => {
      this.write(bytes);
      this.exports.receive_file();
    });
  }

  /** The floats of a buffer: valid until the next command. */
  floats(name) {
    const number = this.numbers.get(name);
    return new Float32Array(this.exports.memory.buffer, this.exports.buffer(number), this.exports.buffer_len(number));
  }

  write(bytes) {
    const at = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  read(at, length) {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, length));
  }

  call(work) {
    try {
      return work();
    } catch (error) {
      const message = this.read(this.exports.panic_message(), this.exports.panic_message_len());
      throw new ModuleFault(message || error.message);
    }
  }
}

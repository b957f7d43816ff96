/**
 * JSON as Go's encoding/json reads it: keys in order and with their duplicates, numbers as they were written, errors in Go's words.
 *
 * Harvester keeps JSON in strings, and what it accepts is decided by that reader, not by JavaScript's.
 *
 * @see https://pkg.go.dev/encoding/json
 */
export type GoJson =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly GoJson[]; readonly text: string }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: GoJson])[]; readonly text: string };

/** What was read, or why it could not be. */
export type GoJsonResult = { readonly node: GoJson } | { readonly error: string; readonly early?: boolean };

/** A whole text, as `json.Unmarshal` reads it: nothing may follow the value. */
export function parseGoJson(text: string): GoJsonResult {
  return read(text, (reader) => {
    const node = reader.document();
    reader.end();
    return node;
  });
}

/** The first value of a text, as `json.Decoder` reads it: what follows is ignored. */
export function parseFirstGoJson(text: string): GoJsonResult {
  if (/^[ \t\r\n]*$/.test(text)) { return { error: 'EOF' }; }
  const result = read(text, (reader) => reader.document());
  return 'error' in result && result.early ? { error: 'unexpected EOF' } : result;
}

const END = 'unexpected end of JSON input';

// deeper than anybody nests, and far from the end of JavaScript's stack
const MAX_DEPTH = 1000;

const ESCAPES: { readonly [char: string]: string } = { '"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t' };

// within these Go puts a space where the text ends early, and names it; anywhere else it names the end
const IN_TOKEN = /^(in literal|in numeric|after decimal|in exponent|in string escape|in \\u)/;

class GoSyntaxError extends Error {
  constructor(message: string, readonly early = false) {
    super(message);
  }
}

function read(text: string, how: (reader: Reader) => GoJson): GoJsonResult {
  try {
    return { node: how(new Reader(text)) };
  } catch (error) {
    if (error instanceof GoSyntaxError) { return { error: error.message, early: error.early }; }
    throw error;
  }
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  public document(): GoJson {
    this.space();
    return this.value();
  }

  public end(): void {
    this.space();
    if (this.at < this.text.length) { this.refuse('after top-level value'); }
  }

  private value(): GoJson {
    const char = this.text[this.at];
    switch (char) {
      case '{': return this.nested(() => this.object());
      case '[': return this.nested(() => this.array());
      case '"': return { kind: 'string', value: this.string() };
      case 't': return this.literal('true', { kind: 'bool', value: true });
      case 'f': return this.literal('false', { kind: 'bool', value: false });
      case 'n': return this.literal('null', { kind: 'null' });
      default: return char !== undefined && /[-0-9]/.test(char) ? this.number() : this.refuse('looking for beginning of value');
    }
  }

  private nested(inner: () => GoJson): GoJson {
    if (++this.depth > MAX_DEPTH) { throw new GoSyntaxError('exceeded max depth'); }
    const node = inner();
    this.depth--;
    return node;
  }

  private object(): GoJson {
    const start = this.at++;
    const entries: [string, GoJson][] = [];
    this.space();
    if (this.text[this.at] === '}') {
      this.at++;
      return { kind: 'object', entries, text: this.text.slice(start, this.at) };
    }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') { this.refuse('looking for beginning of object key string'); }
      const key = this.string();
      this.space();
      if (this.text[this.at] !== ':') { this.refuse('after object key'); }
      this.at++;
      this.space();
      entries.push([key, this.value()]);
      if (this.closes('}', 'after object key:value pair')) {
        return { kind: 'object', entries, text: this.text.slice(start, this.at) };
      }
    }
  }

  private array(): GoJson {
    const start = this.at++;
    const items: GoJson[] = [];
    this.space();
    if (this.text[this.at] === ']') {
      this.at++;
      return { kind: 'array', items, text: this.text.slice(start, this.at) };
    }
    for (;;) {
      this.space();
      items.push(this.value());
      if (this.closes(']', 'after array element')) { return { kind: 'array', items, text: this.text.slice(start, this.at) }; }
    }
  }

  private closes(end: string, where: string): boolean {
    this.space();
    const char = this.text[this.at];
    if (char !== end && char !== ',') { this.refuse(where); }
    this.at++;
    return char === end;
  }

  private string(): string {
    let value = '';
    for (this.at++; ; this.at++) {
      const char = this.text[this.at];
      if (char === '"') {
        this.at++;
        return value;
      }
      if (char === undefined || char < ' ') { this.refuse('in string literal'); }
      value += char === '\\' ? this.escape() : char;
    }
  }

  private escape(): string {
    const char = this.text[++this.at];
    if (char !== 'u') { return ESCAPES[char ?? ''] ?? this.refuse('in string escape code'); }
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.text[++this.at] ?? '')) { this.refuse('in \\u hexadecimal character escape'); }
    }
    return String.fromCharCode(parseInt(this.text.slice(this.at - 3, this.at + 1), 16));
  }

  private literal(word: string, node: GoJson): GoJson {
    for (const char of word) {
      if (this.text[this.at] !== char) { this.refuse(`in literal ${word} (expecting '${char}')`); }
      this.at++;
    }
    return node;
  }

  private number(): GoJson {
    const start = this.at;
    if (this.text[this.at] === '-') { this.at++; }
    if (this.text[this.at] === '0') { this.at++; } else { this.digits('in numeric literal'); }
    if (this.text[this.at] === '.') {
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.text[this.at] ?? '')) {
      this.at++;
      if (/[-+]/.test(this.text[this.at] ?? '')) { this.at++; }
      this.digits('in exponent of numeric literal');
    }
    return { kind: 'number', text: this.text.slice(start, this.at) };
  }

  private digits(where: string): void {
    if (!/[0-9]/.test(this.text[this.at] ?? '')) { this.refuse(where); }
    while (/[0-9]/.test(this.text[this.at] ?? '')) { this.at++; }
  }

  private space(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) { this.at++; }
  }

  private refuse(where: string): never {
    const char = this.text[this.at];
    if (char === undefined && !IN_TOKEN.test(where)) { throw new GoSyntaxError(END, true); }
    throw new GoSyntaxError(`invalid character ${quoted(char ?? ' ')} ${where}`, char === undefined);
  }
}

// Go names the byte it stumbled over
function quoted(char: string): string {
  if (char === '\'') { return '\'\\\'\''; }
  if (char === '"') { return '\'"\''; }
  const byte = Buffer.from(char)[0]!;
  const text = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  return `'${text.startsWith('\\u') ? `\\x${byte.toString(16).padStart(2, '0')}` : text}'`;
}

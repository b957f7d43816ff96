import { isRecord } from '../../model/manifest';

/** Fields whose values are secrets, wherever they stand. */
const SECRET_FIELD = /pass|token|secret|.key$|kubeconfig|credential|user-?data|network-?data|cloud-?config/i;

/** But these only say where one is, or how long it lasts. */
const NO_SECRET_FIELD = /(name|names|namespace|ref|id|ttl|minutes)$/i;

/** Deeper than any object of Kubernetes. */
const MAX_DEPTH = 64;

/**
 * The secrets in what we send: a server that refuses it says it again.
 */
export function secretsIn(body: unknown): string[] {
  const found = new Set<string>();
  if (isRecord(body) && body.kind === 'Secret') {
    strings(body.data, found, (value) => [value, Buffer.from(value, 'base64').toString('utf8')]);
    strings(body.stringData, found);
  }
  walk(body, found, 0);
  return [...found];
}

function walk(value: unknown, found: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) { return; }
  if (Array.isArray(value)) {
    value.forEach((item) => walk(item, found, depth + 1));
  } else if (isRecord(value)) {
    for (const [field, inner] of Object.entries(value)) {
      if (SECRET_FIELD.test(field) && !NO_SECRET_FIELD.test(field)) { strings(inner, found); }
      walk(inner, found, depth + 1);
    }
  } else if (typeof value === 'string' && /^\s*[[{]/.test(value)) {
    // JSON in a string: the value of a Setting
    try {
      walk(JSON.parse(value), found, depth + 1);
    } catch {
      // no JSON after all
    }
  }
}

function strings(value: unknown, found: Set<string>, forms: (value: string) => string[] = (text) => [text]): void {
  if (typeof value === 'string') {
    forms(value).forEach((form) => found.add(form));
  } else if (Array.isArray(value)) {
    value.forEach((item) => strings(item, found, forms));
  } else if (isRecord(value)) {
    for (const [field, inner] of Object.entries(value)) {
      if (!NO_SECRET_FIELD.test(field) || forms.length > 1) { strings(inner, found, forms); }
    }
  }
}

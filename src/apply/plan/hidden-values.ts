import { createHash, randomBytes } from 'crypto';
import { at, FieldPath, isWithin, pathText } from './field-path';
import { KNOWN_AFTER_APPLY } from './plan';
import { SETTING } from '../../model/harvester-settings/names';
import { isLate } from '../../model/late-token';
import { groupOf, isRecord, Manifest, valueAt } from '../../model/manifest';
import { GROUPS } from '../../model/names';

/** Settings whose values hold credentials: URLs with tokens, keys, passwords. */
const SETTINGS: readonly string[] = [
  SETTING.CLUSTER_REGISTRATION_URL, SETTING.CONTAINERD_REGISTRY, SETTING.BACKUP_TARGET, SETTING.SSL_CERTIFICATES, SETTING.HTTP_PROXY,
  SETTING.RANCHER_CLUSTER,
];

/** Keys below which a secret may stand, in any kind. */
const SECRET_KEY = /pass(word|wd|phrase)?|token|secret|private[-_.]?key|api[-_.]?key|access[-_.]?key|kubeconfig|credential|user[-_.]?data|network[-_.]?data|cloud[-_.]?(config|init)|salt/i;

/** Keys that name something, and what is public. */
const PLAIN_KEY = /(name|names|ref|namespace|kind|type|ttl|minutes|seconds|days|length|mode|period|path|enabled|public[-_.]?key)$|^(image ?pull)?secrets$/i;

/** Texts that hold a credential wherever they stand. */
const SECRET_TEXT = /-----BEGIN [A-Z ]*PRIVATE KEY|\/v3\/import\/|:\/\/[^/\s:@]*:[^/\s@]+@|\beyJ[\w-]{8,}\.eyJ|\b(?:token|kubeconfig-u)-[\w-]+:[a-z0-9]{20,}|--token[ =]|\bbearer [\w.-]{8,}|kind: *Secret|pass(?:word|wd)["']? *[:=]|token["']? *[:=] *["']?[\w.-]{8,}|secret["']? *[:=]/i;

const HIDDEN = /^<sha256:[0-9a-f]{8}>$/;

/** What may be shown of values: hashes in place of secrets, with a salt of this run alone, so that they tell equal from other and nothing else. */
export class HiddenValues {
  private readonly salt = randomBytes(16);

  public hash(value: unknown): string {
    return `<sha256:${createHash('sha256').update(this.salt).update(JSON.stringify(value) ?? '').digest('hex').slice(0, 8)}>`;
  }

  /** A value as it may be shown: whole where it holds no secret, hashes in place of those that it has. */
  public show(value: unknown, path: FieldPath, manifest: Manifest, secretPaths: readonly FieldPath[]): unknown {
    if (value === undefined || value === null) { return value; }
    // an unknown value tells nothing, wherever it is to stand
    if (isLate(value)) { return KNOWN_AFTER_APPLY; }
    if (isSecretPath(path, manifest, secretPaths)) { return this.leaves(value); }
    if (typeof value === 'string') { return SECRET_TEXT.test(value) ? this.hash(value) : value; }
    if (Array.isArray(value)) { return value.map((item, index) => this.show(item, [...path, index], manifest, secretPaths)); }
    if (!isRecord(value)) { return value; }
    // {name: HTTP_PROXY_PASSWORD, value: …}: the name of the value stands beside it
    const named = typeof value.name === 'string' && 'value' in value && isSecretKey(value.name);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [
      key, named && key === 'value' ? this.leaves(item) : this.show(item, [...path, key], manifest, secretPaths),
    ]));
  }

  /** The server's words, without what we sent as a secret: servers repeat the values that they refuse. */
  public scrub(text: string, manifest: Manifest, secretPaths: readonly FieldPath[]): string {
    const secrets = new Set<string>();
    const walk = (value: unknown, path: FieldPath, secret: boolean): void => {
      if (typeof value === 'string') {
        if ((secret || SECRET_TEXT.test(value)) && value.length > 2) { for (const form of formsOf(value, manifest)) { secrets.add(form); } }
      } else if (Array.isArray(value)) {
        value.forEach((item, index) => walk(item, [...path, index], secret));
      } else if (isRecord(value)) {
        for (const [key, item] of Object.entries(value)) {
          const below = [...path, key];
          walk(item, below, secret || isSecretPath(below, manifest, secretPaths));
        }
      }
    };
    walk(manifest, [], false);
    return [...secrets].filter((secret) => secret.length > 2).sort((a, b) => b.length - a.length)
      .reduce((clean, secret) => clean.split(secret).join('<secret>'), text).replace(/\/v3\/import\/[^_\s"]+_/g, '/v3/import/<secret>_');
  }

  // maps and lists keep their form, so that one sees which entry of a Secret changes
  private leaves(value: unknown): unknown {
    if (isLate(value)) { return KNOWN_AFTER_APPLY; }
    if (isRecord(value)) { return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.leaves(item)])); }
    return value === undefined || value === null || typeof value === 'boolean' ? value : this.hash(value);
  }
}

/** Whether a shown value is a hash. */
export function isHidden(shown: unknown): boolean {
  return typeof shown === 'string' && HIDDEN.test(shown);
}

/** A shown value with all hashes alike: what it is compared by between runs, which have other salts. */
export function withoutHashes(shown: unknown): unknown {
  if (isHidden(shown)) { return '<secret>'; }
  if (Array.isArray(shown)) { return shown.map(withoutHashes); }
  return isRecord(shown) ? Object.fromEntries(Object.entries(shown).map(([key, item]) => [key, withoutHashes(item)])) : shown;
}

function isSecretPath(path: FieldPath, manifest: Manifest, secretPaths: readonly FieldPath[]): boolean {
  const { apiVersion, kind, metadata } = manifest;
  const [first] = path;
  if (secretPaths.some((secret) => isWithin(path, secret))) { return true; }
  const group = groupOf(apiVersion);
  if (kind === 'Secret' && group === '') { return first === 'data' || first === 'stringData'; }
  if (kind === 'Setting') { return (first === 'value' || first === 'default') && (SETTINGS.includes(metadata.name) || isSecretKey(metadata.name)); }
  if (kind === 'CloudInit' && group === GROUPS.HARVESTER_NODE) { return pathText(path).startsWith('spec.contents'); }
  const [list, item, last] = path.slice(-3);
  // a variable of an environment: what it is stands beside it, and proxies have passwords
  if (last === 'value' && typeof item === 'number' && typeof list === 'string') {
    const name = valueAt(at(manifest, path.slice(0, -1)), 'name');
    if (/env/i.test(list) || (typeof name === 'string' && isSecretKey(name))) { return true; }
  }
  // names in metadata are public; values there are judged by their text
  return first !== 'metadata' && path.some((step) => typeof step === 'string' && isSecretKey(step));
}

function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key) && !PLAIN_KEY.test(key);
}

// as it stands, in base64 and in URLs; what a Secret holds in base64 also in clear
function formsOf(value: string, { kind }: Manifest): string[] {
  const decoded = kind === 'Secret' ? [Buffer.from(value, 'base64').toString('utf8')] : [];
  return [value, ...decoded].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), Buffer.from(text).toString('base64'), text.trim()]);
}

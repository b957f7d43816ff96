import { KindFields } from '../kind/description/fields';
import { kindOf } from '../kind/kinds';
import {
  at,
  FieldPath,
  groupOf,
  isRecord,
  isWithin,
  Manifest,
  valueAt,
} from '../manifest/manifest';
import { GROUPS } from '../manifest/names';
import { BASE64 } from '../text/plain-text';
import { byText } from '../text/values';

/** The text of a Secret under a key, or why there is none. */
export interface SecretEntry {
  /** Its path, e.g. `data.token`. */
  readonly path: string;
  /** The text; undefined where it can't be read. */
  readonly text?: string;
  /** The API server's words for a value that it refuses. */
  readonly says?: string;
}

/**
 * The entry of a key in a Secret; undefined where it has none. `stringData` wins over `data`, as on
 * the server.
 *
 * @param isPlaceholder whether a text in `data` is a placeholder that is filled in later, and so need not be base64
 */
export function secretEntry(
  secret: Manifest,
  key: string,
  isPlaceholder: (text: string) => boolean,
): SecretEntry | undefined {
  const { data, stringData } = secret;
  if (isRecord(stringData) && stringData[key] !== undefined && stringData[key] !== null) {
    return textEntry(`stringData.${key}`, stringData[key]);
  }
  if (!isRecord(data) || data[key] === undefined) {
    return undefined;
  }
  const path = `data.${key}`;
  const encoded = data[key];
  // null is an empty value
  if (encoded === null) {
    return { path, text: '' };
  }
  if (typeof encoded !== 'string' || isPlaceholder(encoded)) {
    return textEntry(path, encoded);
  }
  const joined = encoded.replace(/[\r\n]/g, '');
  return BASE64.test(joined)
    ? { path, text: Buffer.from(joined, 'base64').toString('utf8') }
    : { path, says: 'illegal base64 data at input byte' };
}

function textEntry(path: string, value: unknown): SecretEntry {
  return typeof value === 'string'
    ? { path, text: value }
    : { path, says: `must be of type string: "${typeof value}"` };
}

/**
 * How secret the value of a field is: `secret` is masked everywhere; `private` is hidden where it
 * is shown, and masked in messages about its own object, since most of what is in a Secret is an
 * ordinary word.
 */
export type Secrecy = 'secret' | 'private' | undefined;

/** Keys whose value is a secret, in any kind, as is all below them. */
const SECRET_GROUP = new RegExp(
  [
    'pass(?!through)',
    'pwd',
    'token',
    'secret',
    'credential',
    'kubeconfig',
    'docker(?:config|cfg)',
    'salt',
    '(?:private|api|access|encryption|signing|deploy|client|account|master|shared|auth|crypto)[-_.]?key',
    '\\.key$',
    '^id_(?:rsa|dsa|ecdsa|ed25519)$',
  ].join('|'),
  'i',
);

/** Keys of which only a text is a secret: a map below `auth` holds settings. */
const SECRET_TEXT = /(?:^|[-_.])(?:auth|authorization|cookie|jwt|psk)$/i;

/** Keys of documents that configure a machine: most hold no secret, but any may. */
const DOCUMENT_KEY = /(?:user|network)[-_.]?data|cloud[-_.]?(?:config|init)/i;

/**
 * Entries of a cloud credential that are public: the ID and the type of the Harvester, which its
 * users see.
 * @see rancher/dashboard:shell/cloud-credential/harvester.vue
 */
const PUBLIC_ENTRY = /^harvestercredentialConfig-cluster(?:Id|Type)$/;

/** Words that switch something on or off, whatever their key is. */
const SWITCH = /^(?:true|false|yes|no|on|off|enabled|disabled|null|none)$/i;

/** What something else fills in, also after the scheme of a header: `${TOKEN}`, `{{ .token }}`. */
const FILLED_IN =
  /^(?:(?:basic|bearer|token)\s+)?(?:\$\{[^{}]*\}|\$\(\w+\)|\{\{[^{}]*\}\}|<[\w .-]+>)$/i;

/** Keys that name something, say how long it lasts, or hold what is public. */
const PLAIN_KEY = new RegExp(
  [
    '(?:names?|refs?|reference|namespace|kind|type|ttl|minutes|seconds|days|hours|length|size|count|mode|period|path|file|dir|enabled|provider|cipher|url)$',
    '(?:algorithm|format|version|endpoint|expir(?:y|es|ation)|public[-_.]?key|(?:cluster|project|user|tenant)[-_.]?id|bypass|crypto_key_hash)$',
    '^(?:image ?pull)?secrets$',
    // values of Helm charts that name a Secret, or a key in one
    '^existing[-_.]?secret|^tls[-_.]?secret$|password[-_.]?key$',
    // a tag of sudoers, in `ALL=(ALL) NOPASSWD:ALL`
    '^nopasswd$',
  ].join('|'),
  'i',
);

/** Texts of a form that only secrets have; the group is the secret itself, where there is one. */
export const SECRET_FORMS: readonly RegExp[] = [
  // the registration token in the URL of an import manifest
  /\/v3\/import\/((?![^\s/"']*[{}])[^\s/"']+)(?=_)/g,
  // user and password in a URL. The scheme of a principal (okta_user://…) has an underscore, which
  // that of a URL never has, or is Rancher's own
  /(?<![\w+.-])(?!(?:local|system):)[a-z][a-z0-9+.-]*:\/\/([^\s/@"'`\\]+(?::[^\s"'`\\/]*)?)(?=@)/gi,
  /\bBearer\s+([\w.~+/=:-]+)/gi,
  // tokens of Rancher, e.g. kubeconfig-u-abc:<key>, but not secret://fleet-default:<name of a
  // Secret>
  /(?<!secret:\/\/)\b[a-z]+-[a-z0-9-]+:([a-z0-9]{20,})\b/g,
  // JSON web tokens
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]*)(?=-----END|$)/g,
  // crypt(3)
  /(?<![\w$])\$(?:[156]|2[abxy]|y|gy|7|argon2(?:id?|d))\$[\w./=,$-]{20,}/g,
  /--token[ =]([^\s"']+)/g,
];

/**
 * A key and its value within a text; the key decides. The name of a Secret in
 * `secret://<namespace>:<name>` is not one.
 */
export const KEY_AND_VALUE =
  /(?<![\w.-])([\w.-]{3,})["']?\s*(?:=|:(?!\/\/))\s*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',;{}[\]&|>]+))/g;

/** Whether the value of a key is a secret. The same few keys are in all objects. */
export const isSecretKey = byText(
  (key): boolean => isSecretGroup(key) || (SECRET_TEXT.test(key) && !PLAIN_KEY.test(key)),
);

/** Whether all below a key is a secret. */
export const isSecretGroup = byText((key): boolean => {
  // the kind of a cloud credential comes before its own keys
  const own = key.replace(/^\w*credentialConfig-/, '');
  return (SECRET_GROUP.test(own) || DOCUMENT_KEY.test(own)) && !PLAIN_KEY.test(own);
});

/** Whether the keys above a value, or its own, make it a secret. */
function isSecretAt(keys: readonly string[]): boolean {
  return keys.slice(0, -1).some(isSecretGroup) || isSecretKey(keys[keys.length - 1] ?? '');
}

/** Whether a key is secret only because its value is a document that may hold secrets. */
export function isDocumentKey(key: string): boolean {
  return DOCUMENT_KEY.test(key) && !SECRET_GROUP.test(key);
}

/** Whether a text is never a secret: it switches something, or something else fills it in. */
export function isNeverSecret(text: string): boolean {
  return SWITCH.test(text) || FILLED_IN.test(text);
}

/**
 * What all of these forms have one of: nearly no text does, so that most are looked through once.
 */
const TRACE_OF_FORM =
  /:\/\/|\/v3\/import\/|eyJ|PRIVATE KEY|\$[0-9a-z]{1,8}\$|bearer|--token|:[a-z0-9]{20}/i;

/** Whether a text may have something in it that is a secret by its form. */
export function mayHaveSecretForm(text: string): boolean {
  return text.length > 6 && TRACE_OF_FORM.test(text);
}

/** Whether a text contains a secret that its form reveals. */
export function hasSecretForm(text: string): boolean {
  return mayHaveSecretForm(text) && SECRET_FORMS.some((form) => text.search(form) >= 0);
}

/**
 * How secret the value of a field of an object is, by its place.
 *
 * @param latePaths where sensitive late values are
 */
export function secrecyOf(
  path: FieldPath,
  manifest: Manifest,
  latePaths: readonly FieldPath[] = [],
): Secrecy {
  if (latePaths.some((late) => isWithin(path, late))) {
    return 'secret';
  }
  const { apiVersion, kind, metadata } = manifest;
  const group = groupOf(apiVersion ?? '');
  const first = path[0];
  const keys = path.filter((step): step is string => typeof step === 'string');
  const last = keys[keys.length - 1];
  // encrypted values, and the names of keys in a store
  if (
    (kind === 'SealedSecret' && group === GROUPS.SEALED_SECRETS) ||
    (kind === 'ExternalSecret' && group === GROUPS.EXTERNAL_SECRETS)
  ) {
    return undefined;
  }
  if (kind === 'Secret' && group === '') {
    if (first !== 'data' && first !== 'stringData') {
      return undefined;
    }
    if (last !== undefined && PUBLIC_ENTRY.test(last)) {
      return undefined;
    }
    return isSecretAt(keys.slice(1)) ? 'secret' : 'private';
  }
  // a definition names the fields of secrets, and holds none
  if (kind === 'CustomResourceDefinition' && group === GROUPS.DEFINITIONS) {
    return undefined;
  }
  // names in metadata are public; values there are judged by their text
  if (first === 'metadata' || last === undefined) {
    return undefined;
  }
  if (
    kind === 'Setting' &&
    (first === 'value' || first === 'default') &&
    isSecretKey(metadata?.name ?? '')
  ) {
    return 'secret';
  }
  const known =
    group === ''
      ? undefined
      : kindOf<KindFields>({ apiVersion, kind })?.secrecyOf?.(path, manifest);
  if (known) {
    return known === 'public' ? undefined : known;
  }
  if (isNameOfEntry(path, manifest)) {
    return undefined;
  }
  if (isSecretAt(keys) && !PLAIN_KEY.test(last)) {
    return 'secret';
  }
  return secrecyOfNamed(path, manifest);
}

/** Whether a field names an entry of a Secret: `secret.items[].key`, or `key` next to a `name`. */
function isNameOfEntry(path: FieldPath, manifest: unknown): boolean {
  if (path[path.length - 1] !== 'key') {
    return false;
  }
  const isItem = path[path.length - 3] === 'items';
  return isItem || typeof valueAt(at(manifest, path.slice(0, -1)), 'name') === 'string';
}

// {name: HTTP_PROXY_PASSWORD, value: …}: the name of the value is next to it, and proxies have
// passwords
function secrecyOfNamed(path: FieldPath, manifest: unknown): Secrecy {
  const [list, item, last] = path.slice(-3);
  if (last !== 'value' || typeof item !== 'number' || typeof list !== 'string') {
    return undefined;
  }
  const name = valueAt(at(manifest, path.slice(0, -1)), 'name');
  if (typeof name === 'string' && isSecretKey(name)) {
    return 'secret';
  }
  return /env/i.test(list) ? 'private' : undefined;
}

/** Whether a value is an object as API servers store it; a Secret is one also without a version. */
export function isObject(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    typeof value.kind === 'string' &&
    (typeof value.apiVersion === 'string' || value.kind === 'Secret')
  );
}

/**
 * A word, or a number, of those that are joined by dashes, dots and the like: names, hosts,
 * versions.
 */
const WORD = /^(?:[A-Za-z]{1,24}\d{0,3}|\d{1,5}[A-Za-z]{0,2})?$/;
const MOST_WORDS = 12;

/** Whether a text may just as well be part of what people and servers say. */
export function isOrdinary(text: string): boolean {
  const words = text.length > MOST_WORDS * 25 ? [] : text.split(/[-_. /:,]+/);
  return words.length > 0 && words.length <= MOST_WORDS && words.every((word) => WORD.test(word));
}

/** Ids that Rancher makes up: names, however random they look. */
const ID = /^(?:c|c-m|p|u|g|t|local)-[a-z0-9]{5,10}$/;

/** Whether a text of a Secret is a secret by its looks, whatever its key. */
export function looksRandom(text: string): boolean {
  return (
    text.split(/[^A-Za-z0-9]+/).some((word) => {
      const turns = word.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
      const capitals = word.match(/[a-z](?=[A-Z])/g)?.length ?? 0;
      return word.length >= 8 && (turns >= 3 || capitals >= 5);
    }) && !ID.test(text)
  );
}

import { OwnSecret, secretsOf, splitBySecrets } from './secrets-of';
import {
  Draft,
  DraftProps,
  DraftValue,
  Expression,
  MethodCall,
  SecretRead,
  SecretText,
  StaticCall,
  variableName,
} from '../../core/draft/draft';
import { FieldPath, isRecord, keyAt, sameValue, withLeaves } from '../../core/manifest/manifest';
import { putSecrets } from '../../core/program/secrets';
import { byText, escapeRegExp } from '../../core/text/values';
import { SecretValue } from '../../core/value/secret-value';
import { readYaml, tryYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';

/** Props, and fields, that are public: no SecretValue can be in them. */
const PUBLIC = ['apiVersion', 'kind', 'name', 'namespace', 'labels'];

/** The prop with what the live object has, such as the exact texts of a machine pool. */
const ADOPTED = 'adopted';

/** Replaces the secrets of its objects in what a draft is written with. */
export class SecretHider {
  private readonly secrets: readonly (OwnSecret & { readonly owner: string })[];

  constructor({ declares }: Draft) {
    this.secrets = declares.flatMap(({ manifest }) =>
      secretsOf(manifest).map((secret) => ({ ...secret, owner: manifest.metadata.name })),
    );
  }

  /**
   * A value with `SecretValue.fromEnv` in place of secrets.
   *
   * @param isExact whether its texts are those of the live object, byte by byte
   */
  public hide<T extends DraftValue>(value: T, isExact: boolean, key = ''): T {
    return (this.secrets.length === 0 ? value : this.hidden(value, isExact, key)) as T;
  }

  private hidden(value: DraftValue, isExact: boolean, key: string): DraftValue {
    if (typeof value === 'string') {
      return this.text(value, isExact, key);
    }
    if (value instanceof StaticCall && value.method === 'fromYaml') {
      return new StaticCall(
        value.type,
        value.method,
        value.args.map((each) => this.yaml(each)),
      );
    }
    if (value instanceof StaticCall) {
      return new StaticCall(value.type, value.method, this.list(value.args, isExact, ''));
    }
    if (value instanceof MethodCall) {
      return new MethodCall(value.on, value.method, this.list(value.args, isExact, ''));
    }
    if (
      value instanceof Expression ||
      typeof value !== 'object' ||
      (value as DraftValue | null) === null
    ) {
      return value;
    }
    if (Array.isArray(value)) {
      return this.list(value as readonly DraftValue[], isExact, key);
    }
    return Object.fromEntries(
      Object.entries(value as DraftProps).map(([name, each]) => [
        name,
        PUBLIC.includes(name) ? each : this.hidden(each, isExact || name === ADOPTED, name),
      ]),
    );
  }

  private list(
    values: readonly DraftValue[],
    isExact: boolean,
    key: string,
  ): readonly DraftValue[] {
    return values.map((each) => this.hidden(each, isExact, key));
  }

  private text(text: string, isExact: boolean, key: string): DraftValue {
    const decoded = decodedText(text);
    const inner = decoded === undefined ? undefined : this.parts(decoded, key);
    if (inner) {
      return exact(new SecretText(inner, true), text, key) ?? this.whole(text, key);
    }
    const parts = this.parts(text, key);
    if (!parts) {
      return text;
    }
    const made = new SecretText(parts);
    return isExact ? (exact(made, text, key) ?? this.whole(text, key)) : made;
  }

  /**
   * A text of which only the meaning counts: in another form where the secrets cannot be replaced
   * in its own.
   */
  private yaml(text: DraftValue): DraftValue {
    const parts = typeof text === 'string' ? this.parts(text, '') : undefined;
    if (typeof text !== 'string' || !parts) {
      return text;
    }
    const made = new SecretText(parts);
    if (meansTheSame(made, text)) {
      return made;
    }
    const tokens = new Map<string, SecretRead>();
    const withTokens = (leaf: unknown, path: FieldPath): unknown =>
      typeof leaf !== 'string'
        ? leaf
        : (this.parts(leaf, keyAt(path)) ?? [leaf])
            .map((part) => {
              if (typeof part === 'string') {
                return part;
              }
              const { token } = secretInMemory(part.text);
              tokens.set(token, part);
              return token;
            })
            .join('');
    const written = `${/^(?:#[^\n]*\n)*/.exec(text)![0]}${toYaml(withLeaves(readYaml(text)[0], withTokens))}`;
    const pieces = written.split(new RegExp(`(${[...tokens.keys()].map(escapeRegExp).join('|')})`));
    return tokens.size === 0
      ? made
      : new SecretText(pieces.map((piece) => tokens.get(piece) ?? piece));
  }

  private parts(text: string, key: string): readonly (string | SecretRead)[] | undefined {
    const parts = splitBySecrets(text, key, this.secrets);
    if (parts.length === 1) {
      return undefined;
    }
    return parts
      .map((part, index) => {
        if (index % 2 === 0) {
          return part;
        }
        const { owner } =
          this.secrets.find(({ text: each }) => each === part) ??
          this.secrets.find(({ text: each }) => part.includes(each))!;
        return new SecretRead(
          part,
          variableName(owner, keyBefore(parts[index - 1]) ?? (key === '' ? 'secret' : key)),
        );
      })
      .filter((part) => part !== '');
  }

  /**
   * The text as one secret: the value is what the live object has, whatever is around the secrets
   * in it.
   */
  private whole(text: string, key: string): DraftValue {
    const [{ owner }] = this.secrets;
    return (
      exact(
        new SecretText([new SecretRead(text, variableName(owner, key === '' ? 'text' : key))]),
        text,
        key,
      ) ?? text
    );
  }
}

/** The key of a value in YAML, JSON, or a script, by what precedes it. */
export function keyBefore(text: string): string | undefined {
  return /([A-Za-z_][\w.-]*)["']?\s*[:=]\s*["']?[^\s"']*$/.exec(text)?.[1];
}

/** The text that a program would encode in the same way; undefined where it would not. */
function decodedText(text: string): string | undefined {
  if (text.length < 8 || text.length % 4 !== 0) {
    return undefined;
  }
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  return Buffer.from(decoded, 'utf8').toString('base64') === text ? decoded : undefined;
}

/** A field whose text is read as YAML where it contains secrets. */
const YAML_FIELD = 'userData';

function meansTheSame(made: SecretText, text: string): boolean {
  try {
    const marked = textOfSecrets(made);
    const put = putSecrets({ [YAML_FIELD]: marked });
    return (
      put !== undefined &&
      isYaml(marked) &&
      sameValue(readYaml(put.judged[YAML_FIELD]), readYaml(text))
    );
  } catch {
    return false;
  }
}

/** The expression, if synthesis makes the very text of it at this key. */
function exact(made: SecretText, text: string, key: string): SecretText | undefined {
  try {
    const put = putSecrets({ [key]: textOfSecrets(made) });
    // constructs read the text before the secrets are in it
    const isRead =
      isYaml(textOfSecrets(new SecretText(made.parts))) ||
      !isYaml(made.isBase64 ? decodedText(text)! : text);
    return put &&
      put.problems.length === 0 &&
      put.judged[key] === text &&
      (isRead || made.parts.length === 1)
      ? made
      : undefined;
  } catch {
    return undefined;
  }
}

function isYaml(text: string): boolean {
  return isRecord(tryYaml(text).documents?.[0]);
}

/** The secret in memory, as synthesis gets it from the environment later. */
export const secretInMemory = byText((text): SecretValue => SecretValue.unsafePlainText(text));

/** A text with the markers of its secrets. */
export function textOfSecrets({ parts, isBase64 }: SecretText): string {
  const [first] = parts;
  if (isBase64 && parts.length === 1 && first instanceof SecretRead) {
    return secretInMemory(first.text).base64;
  }
  const text = parts
    .map((part) => (typeof part === 'string' ? part : secretInMemory(part.text).token))
    .join('');
  return isBase64 ? Buffer.from(text).toString('base64') : text;
}

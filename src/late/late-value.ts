import { createHash } from 'crypto';
import { Construct, IConstruct } from 'constructs';
import { LateSource } from './late-source';
import { needsApp } from './needs-app';
import { LateType } from '../model/late-type';

export { LateType };

/**
 * Properties of a late value.
 */
export interface LateValueProps {
  /** How it is found on the live clusters. */
  readonly source: LateSource;
  /** What it is, for people who wait for it. */
  readonly description: string;
  /** What it must look like. @default LateType.STRING */
  readonly type?: LateType;
  /** Whether it is a credential: kept in memory, never in a file or a log. @default false */
  readonly sensitive?: boolean;
}

const LATE_VALUE = Symbol.for('cdk8s-harvester.LateValue');

/**
 * A value that exists only after another object is live: a registration URL, a token, a cluster id.
 *
 * It is used as a string, in manifests of any target, also within longer strings and in JSON inside of strings. An object that holds one is not
 * written to the output folder: it stands in the assembly as a template, and apply or a file of resolved values completes it.
 *
 * Do not change the string (case, base64, substring, URL builders): `base64` and `json` are the encodings there are. In other languages than
 * TypeScript use the property `token`, not string conversion. Needs HarvesterApp.
 */
export class LateValue extends Construct {
  /** @internal */
  public static _isLateValue(construct: IConstruct): construct is LateValue {
    return LATE_VALUE in (construct as object);
  }

  /** The id, made from the construct's path: how a file of resolved values names it. */
  public readonly lateId: string;
  /** How it is found on the live clusters. */
  public readonly source: LateSource;
  /** What it is, for people who wait for it. */
  public readonly description: string;
  /** What it must look like. */
  public readonly type: LateType;
  private isSensitive: boolean;

  constructor(scope: Construct, id: string, props: LateValueProps) {
    super(scope, id);
    this.lateId = lateIdOf(this.node.path);
    this.source = props.source;
    this.description = props.description;
    this.type = props.type ?? LateType.STRING;
    this.isSensitive = props.sensitive ?? false;
    Object.defineProperty(this, LATE_VALUE, { value: true });
    this.node.addValidation({ validate: () => needsApp(this, `a late value (${this.description})`, 'keeps objects with unknown values out of the output') });
  }

  /** Whether it is a credential. */
  public get sensitive(): boolean {
    return this.isSensitive;
  }

  /** @internal */
  public _markSensitive(): void {
    this.isSensitive = true;
  }

  /** The value as a string, wherever a string goes. */
  public get token(): string {
    return `\${late:${this.lateId}}`;
  }

  /** The value in base64, e.g. below `data` of a Secret. */
  public get base64(): string {
    return `\${late:${this.lateId}|base64}`;
  }

  /**
   * The value with the escapes of a JSON string but without its quotes: for YAML or JSON that is put together as text, between double quotes.
   * Text that is JSON as a whole is recognised and needs no help.
   */
  public get json(): string {
    return `\${late:${this.lateId}|json}`;
  }

  /** The value as a string, so that it works in template literals. */
  public toString(): string {
    return this.token;
  }
}

// readable, and the same only for the same path: what the clean-up loses, but for capitals, is made up for by a hash
function lateIdOf(path: string): string {
  const plain = path.toLowerCase().replace(/\//g, '.');
  const clean = plain.replace(/[^a-z0-9.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  if (clean === plain) { return clean; }
  return `${clean || 'late'}-${createHash('sha256').update(path).digest('hex').slice(0, 6)}`;
}

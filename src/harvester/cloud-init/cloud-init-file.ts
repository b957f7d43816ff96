import { SecretValue } from '../../late/secret-value';

/**
 * Options of a file that cloud-init writes.
 */
export interface CloudInitFileOptions {
  /** The owner, as `user:group`. @default - `root:root` */
  readonly owner?: string;
  /** The permissions: four octal digits, e.g. `0600`. @default - `0644` */
  readonly permissions?: string;
  /** Whether the text is appended to the file that is there. @default false */
  readonly append?: boolean;
  /** Whether the file is written last, after packages and users: for owners that are only made then. @default false */
  readonly defer?: boolean;
}

/** A file as cloud-init reads it. */
export interface CloudInitFileFields { readonly [key: string]: unknown }

/**
 * A file that cloud-init writes at the first start of a machine.
 */
export class CloudInitFile {
  /**
   * A file with a text. The text may hold late values.
   *
   * @param path absolute
   * @param text of the file
   */
  public static text(path: string, text: string, options: CloudInitFileOptions = {}): CloudInitFile {
    return new CloudInitFile(path, () => ({ content: text }), options);
  }

  /**
   * A file with a secret. It stands in the output in clear, and everybody who may read the machine configuration or the virtual machine reads it.
   *
   * @param path absolute
   * @param secret the text of the file
   */
  public static secret(path: string, secret: SecretValue, options: CloudInitFileOptions = {}): CloudInitFile {
    return new CloudInitFile(path, () => ({ content: secret._unwrap() }), { permissions: '0600', ...options });
  }

  /**
   * A file in base64, e.g. `LateValue.base64`: for binary files and texts whose every byte counts.
   *
   * @param path absolute
   * @param base64 of the file
   */
  public static base64(path: string, base64: string, options: CloudInitFileOptions = {}): CloudInitFile {
    return new CloudInitFile(path, () => ({ encoding: 'b64', content: base64 }), options);
  }

  private constructor(
    /** @internal */ public readonly _path: string,
    private readonly content: () => CloudInitFileFields,
    /** @internal */ public readonly _options: CloudInitFileOptions,
  ) {}

  /** @internal */
  public _render(): CloudInitFileFields {
    const { owner, permissions, append, defer } = this._options;
    return fileFields({ ...this.content(), path: this._path, owner, permissions, ...(append ? { append } : {}), ...(defer ? { defer } : {}) });
  }
}

const ORDER = ['encoding', 'content', 'owner', 'path', 'permissions', 'append', 'defer'];

/** The fields of a file in the order in which Harvester's own scripts write them, what is undefined left out. */
export function fileFields(fields: CloudInitFileFields): CloudInitFileFields {
  return Object.fromEntries(ORDER.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]));
}

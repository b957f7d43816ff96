import { HiddenPart, SecretHiding, withEncryption, PreviousText, previousTexts } from './hiding';
import { FieldPath, Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { Problem, show } from '../../core/problem/problem';
import { DeliveredOutput, PlainOutput } from '../../core/program/delivery-step';
import { againNote } from '../../core/secret/keyed-digest';
import { secretFields } from '../../core/secret/secret-fields';
import { ENCRYPTED_BY_SOPS, Sops, SopsFormat, SOPS_SUFFIX } from '../../core/sops/sops';
import { SopsKeeper } from '../../core/sops/sops-keeper';

/** Properties of secrets that are encrypted by SOPS. */
export interface SopsSecretsProps {
  /**
   * Public keys of age that can decrypt the secrets, e.g. that of Flux and that of your team:
   * `age1…`, or SSH keys.
   */
  readonly recipients: string[];
  /**
   * Name of the Secret with the private key, in the namespace of the Kustomizations of Flux. Its
   * key is `age.agekey`.
   * @default sops-age
   */
  readonly decryptionSecret?: string;
  /** The program `sops`. @default - `sops`, found on the PATH */
  readonly program?: string;
}

const RECIPIENT = /^(?:age1[0-9a-z]{10,}|ssh-(?:ed25519|rsa) [A-Za-z0-9+/]+={0,2}(?: .*)?)$/;

/** What is wrong with recipients, which cannot be right then. */
export function problemOfRecipients(
  recipients: readonly string[],
): Pick<Problem, 'message' | 'fix'> | undefined {
  if (recipients.length === 0) {
    return {
      message: 'must not be empty',
      fix: 'create a key with `age-keygen`, and set the public key',
    };
  }
  const wrong = recipients.filter(
    (recipient) => !RECIPIENT.test(recipient) || recipient.includes(','),
  );
  if (wrong.length === 0) {
    return undefined;
  }
  // a private key is not shown
  const shown = wrong.map((recipient) =>
    /^age-secret-key-/i.test(recipient) ? 'a private key' : show(recipient),
  );
  return {
    message: `must be public keys of age (age1…) or of SSH, got ${shown.join(', ')}`,
    fix: 'set what `age-keygen -y <file>` prints',
  };
}

/** Secrets that SOPS encrypts. */
export class SopsHiding implements SecretHiding {
  constructor(private readonly props: SopsSecretsProps) {}

  /** Gives each object with secrets a file of its own. */
  public readonly hide = (
    { assembly, manifests, secretPlaces }: PlainOutput,
    ids: readonly string[],
  ): HiddenPart => {
    const own = new Set(ids);
    const fields = new Map(
      ids.flatMap((id) => {
        const found = secretFields(manifests.get(id)!, secretPlaces?.get(id) ?? new Set());
        return found.length > 0 ? [[id, found] as const] : [];
      }),
    );
    const { recipients, decryptionSecret = 'sops-age' } = this.props;
    const decryption = { provider: 'sops', secretRef: { name: decryptionSecret } };
    // what `resolve` writes may be encrypted, too
    const waiting = assembly.objects
      .filter(({ id, file }) => own.has(id) && file === undefined)
      .map(({ id }) => id);
    const needing = assembly.objects
      .filter(({ id, needs }) => own.has(id) && needs !== undefined)
      .map(({ id }) => id);
    return {
      ownFiles: new Map([...fields.keys()].map((id) => [id, SOPS_SUFFIX] as const)),
      decryption: new Map(
        [...fields.keys(), ...waiting, ...needing].map((id) => [id, decryption] as const),
      ),
      answers: new Map([...fields.keys()].map((id) => [id, ENCRYPTED_BY_SOPS])),
      finish: (delivered, outdir) => {
        const output = new SopsOutput(this.props, fields, delivered, outdir).finish();
        const { notes } = output;
        const { assembly: after, files } = output.delivered;
        return {
          delivered: { assembly: withEncryption(after, ids, { recipients }), files },
          notes,
        };
      },
    };
  };
}

class SopsOutput {
  private readonly sops: Sops;
  private readonly keeper: SopsKeeper;
  private readonly previous: ReadonlyMap<string, PreviousText>;

  constructor(
    props: SopsSecretsProps,
    private readonly fields: ReadonlyMap<string, readonly FieldPath[]>,
    private readonly delivered: DeliveredOutput,
    outdir: string,
  ) {
    this.sops = new Sops(props.program);
    this.keeper = new SopsKeeper(this.sops, props.recipients);
    const own = delivered.assembly.objects.flatMap(({ id, file }) =>
      file !== undefined && fields.has(id) ? [file] : [],
    );
    this.previous = previousTexts(outdir, new Set(own));
  }

  public finish(): { delivered: DeliveredOutput; notes: readonly string[] } {
    // also without secrets: a build should not fail on the day of the first one
    this.sops.check();
    const { assembly, files } = this.delivered;
    const texts = new Map(files);
    const objects = assembly.objects.map((object): AssemblyObject => {
      const fields = this.fields.get(object.id);
      if (!fields) {
        return object;
      }
      const { file, template } = object;
      if (file === undefined) {
        const { text, digest } = this.encrypted(
          object.id,
          JSON.stringify(template),
          'json',
          fields,
        );
        return { ...object, template: JSON.parse(text) as Manifest, ...digest };
      }
      const { text, digest } = this.encrypted(object.id, texts.get(file)!, 'yaml', fields);
      texts.set(file, text);
      return { ...object, ...digest };
    });
    const notes =
      this.keeper.again > 0
        ? [
            againNote(
              'SOPS',
              this.keeper.again,
              'SOPS_AGE_KEY_FILE (a file with the private key), or ',
            ),
          ]
        : [];
    return { delivered: { assembly: { ...assembly, objects }, files: texts }, notes };
  }

  private encrypted(
    id: string,
    text: string,
    format: SopsFormat,
    fields: readonly FieldPath[],
  ): ReturnType<SopsKeeper['encrypted']> {
    return this.keeper.encrypted({ id, text, format, fields }, this.previous.get(id));
  }
}

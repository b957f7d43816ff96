import { againNote, digestKey, keyedDigest } from './digest';
import { SecretHiding } from './hiding';
import { PreviousText, previousTexts } from './previous';
import { SopsSecretsProps } from './sops-props';
import { DeliveredOutput, HiddenOutput, PlainOutput } from '../../core/app/delivery-step';
import { FieldPath, Manifest, at, isRecord } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { ALL_RULES } from '../../core/rule/all-rules';
import { Finding } from '../../core/rule/finding';
import { DELIVERY_SECRETS, LATE_SECRET_WRITTEN } from '../../core/rule/program-rules';
import { holdsOwnSecret, secretFields } from '../../core/secret/secret-fields';
import { encryptedRegex } from '../../core/sops/encrypted-regex';
import { Sops, SopsFormat, SopsTerms, isEncrypted } from '../../core/sops/sops';
import { readYaml } from '../../core/yaml/yaml-reader';

const SUFFIX = '.sops';

/** Rules about secrets in files, which encryption answers. */
const ANSWERED = new Set([...ALL_RULES.filter(({ plainFiles }) => plainFiles).map(({ id }) => id), LATE_SECRET_WRITTEN.id]);

/** Secrets that SOPS encrypts. */
export class SopsHiding implements SecretHiding {
  constructor(private readonly props: SopsSecretsProps) {}

  /** Gives each object with secrets a file of its own. */
  public readonly hide = (output: PlainOutput): HiddenOutput => {
    const { assembly, manifests, secretPlaces } = output;
    const fields = new Map(assembly.objects.flatMap(({ id }) => {
      const own = secretFields(manifests.get(id)!, secretPlaces?.get(id) ?? new Set());
      return own.length > 0 ? [[id, own] as const] : [];
    }));
    const hiding = {
      ownFiles: new Map([...fields.keys()].map((id) => [id, SUFFIX] as const)),
      decryption: { provider: 'sops', secretRef: { name: this.props.decryptionSecret ?? 'sops-age' } },
    };
    const findings = [...assembly.findings.map(withAnswer), ...plainTexts(assembly)];
    return {
      output: { ...output, assembly: { ...assembly, findings }, hiding },
      finish: (delivered, outdir) => new SopsOutput(this.props, fields, delivered, outdir).finish(),
    };
  };
}

/** Texts of late values that contain a secret: the assembly holds them as they are. */
function plainTexts({ lateValues }: Assembly): Finding[] {
  const { id: rule, level, source: cited } = DELIVERY_SECRETS;
  return lateValues.flatMap(({ id, construct, source }): Finding[] => (
    'text' in source && holdsOwnSecret(source.text) ? [{
      rule,
      level,
      source: cited,
      construct,
      path: id,
      message: `the late value ${id} contains a secret of the program in its text, which SOPS does not encrypt`,
      fix: 'make the secret a late value of its own, or set SecretDelivery.plainText()',
    }] : []));
}

function withAnswer(finding: Finding): Finding {
  return ANSWERED.has(finding.rule) && finding.suppressed === undefined ? { ...finding, suppressed: 'is encrypted by SOPS in the output' } : finding;
}

class SopsOutput {
  private readonly sops: Sops;
  private readonly key = digestKey();
  private readonly previous: ReadonlyMap<string, PreviousText>;
  private again = 0;

  constructor(
    private readonly props: SopsSecretsProps,
    private readonly fields: ReadonlyMap<string, readonly FieldPath[]>,
    private readonly delivered: DeliveredOutput,
    outdir: string,
  ) {
    this.sops = new Sops(props.program);
    const own = delivered.assembly.objects.flatMap(({ id, file }) => (file !== undefined && fields.has(id) ? [file] : []));
    this.previous = previousTexts(outdir, new Set(own));
  }

  public finish(): { delivered: DeliveredOutput; notes: readonly string[] } {
    // also without secrets: a build should not fail on the day of the first one
    this.sops.check();
    const { assembly, files } = this.delivered;
    const texts = new Map(files);
    const objects = assembly.objects.map((object): AssemblyObject => {
      const fields = this.fields.get(object.id);
      if (!fields) { return object; }
      const { file, template } = object;
      if (file === undefined) {
        const { text, digest } = this.encrypted(object.id, JSON.stringify(template), 'json', fields);
        return { ...object, template: JSON.parse(text) as Manifest, ...digest };
      }
      const { text, digest } = this.encrypted(object.id, texts.get(file)!, 'yaml', fields);
      texts.set(file, text);
      return { ...object, ...digest };
    });
    const notes = this.again > 0 ? [againNote('SOPS', this.again, 'SOPS_AGE_KEY_FILE (a file with the private key), or ')] : [];
    return { delivered: { assembly: { ...assembly, objects, sopsRecipients: this.props.recipients }, files: texts }, notes };
  }

  private encrypted(id: string, plain: string, format: SopsFormat, fields: readonly FieldPath[]): { text: string; digest: { digest?: string } } {
    const { key } = this;
    const manifest = parsed(plain, format);
    const terms = { recipients: this.props.recipients, encryptedRegex: encryptedRegex(manifest, fields) };
    const digestOf = (secret: string, text: string): string => keyedDigest(secret, JSON.stringify(terms), plain, text);
    const previous = this.previous.get(id);
    if (previous && key !== undefined && previous.digest === digestOf(key, previous.text)) {
      return { text: previous.text, digest: { digest: previous.digest } };
    }
    const text = this.edited(previous, manifest, format, terms) ?? inOneLine(this.sops.encrypt(plain, format, terms), format);
    requireEncrypted(id, parsed(text, format), fields, manifest);
    const digest = key === undefined ? (text === previous?.text ? previous.digest : undefined) : digestOf(key, text);
    return { text, digest: digest === undefined ? {} : { digest } };
  }

  /** The previous text with the new values; undefined where it must be encrypted again. */
  private edited(previous: PreviousText | undefined, manifest: Manifest, format: SopsFormat, terms: SopsTerms): string | undefined {
    const document = previous && documentOf(previous.text, format);
    if (!previous || !isRecord(document) || !isEncrypted(document) || !hasTerms(document, terms)) { return undefined; }
    const plain = this.sops.decryptAgain(previous.text, format);
    if (plain === undefined) {
      this.again++;
      return undefined;
    }
    const before = JSON.parse(plain) as Manifest;
    const keys = Object.keys(manifest);
    // an edit keeps the order of keys
    if (Object.keys(before).join() !== keys.join()) { return undefined; }
    const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(manifest[key]));
    const text = changed.reduce((all, key) => inOneLine(this.sops.set(all, format, key, manifest[key]), format), previous.text);
    if (changed.length === 0) { return text; }
    const after = this.sops.decryptAgain(text, format);
    return after !== undefined && JSON.stringify(JSON.parse(after)) === JSON.stringify(manifest) ? text : undefined;
  }
}

function parsed(text: string, format: SopsFormat): Manifest {
  return (format === 'json' ? JSON.parse(text) : readYaml(text)[0]) as Manifest;
}

/** A document of an earlier output; undefined if it is damaged. */
function documentOf(text: string, format: SopsFormat): unknown {
  try {
    return parsed(text, format);
  } catch {
    return undefined;
  }
}

/** JSON as it is in the assembly. */
function inOneLine(text: string, format: SopsFormat): string {
  return format === 'json' ? JSON.stringify(JSON.parse(text)) : text;
}

function hasTerms({ sops }: { readonly sops?: unknown }, { recipients, encryptedRegex: regex }: SopsTerms): boolean {
  const { age, encrypted_regex: before } = isRecord(sops) ? sops : {};
  const others = (Array.isArray(age) ? age as unknown[] : []).map((entry) => (isRecord(entry) ? entry.recipient : undefined));
  return before === regex && others.join('\n') === recipients.join('\n');
}

/** Throws if a secret is still in plain text. */
function requireEncrypted(id: string, encrypted: Manifest, fields: readonly FieldPath[], plain: Manifest): void {
  const open = fields.filter((path) => String(at(encrypted, path)) === String(at(plain, path)));
  if (open.length > 0) {
    throw new Error(`${id}: SOPS left ${open.map((path) => path.join('.')).join(', ')} in plain text; nothing was written. Fix: report this as a defect`);
  }
}

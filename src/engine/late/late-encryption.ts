import { existsSync, readFileSync } from 'fs';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyEncryption, AssemblyObject } from '../../core/output/assembly';
import { Kubeseal } from '../../core/sealed-secret/kubeseal';
import { SealScope, scopeOf, sealedSecretOf } from '../../core/sealed-secret/sealed-secret';
import { Sealer } from '../../core/sealed-secret/sealer';
import { againNote } from '../../core/secret/keyed-digest';
import { isSecretObject, secretFields } from '../../core/secret/secret-fields';
import { Sops } from '../../core/sops/sops';
import { SopsKeeper } from '../../core/sops/sops-keeper';
import { remembered } from '../../core/text/values';
import { readYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';

/** A file of an object that waited for late values. */
export interface LateFile {
  readonly file: string;
  readonly content: string;
  readonly mode: number;
}

/** File mode of objects without secrets in plain text, like other files of an output. */
export const PUBLIC_MODE = 0o644;

/** A comment at the top of an encrypted file: what `digest` and `digests` are in an assembly. */
const COMMENT = '# cdk8s-harvester digest: ';

/** Encrypts objects that waited for late values as the output requires it, and keeps the bytes of files that did not change. */
export class LateEncryption {
  private readonly byId: ReadonlyMap<string, AssemblyEncryption>;
  private readonly keepers = new Map<AssemblyEncryption, SopsKeeper>();
  private readonly sealers = new Map<AssemblyEncryption, Sealer>();
  private sealedAgain = 0;

  constructor({ encryption = [] }: Assembly) {
    this.byId = new Map(encryption.flatMap((how) => how.objects.map((id) => [id, how] as const)));
  }

  /** What to print about files that were encrypted again. */
  public get notes(): readonly string[] {
    const sops = [...this.keepers.values()].reduce((sum, { again }) => sum + again, 0);
    return [
      ...(sops > 0 ? [againNote('SOPS', sops, 'SOPS_AGE_KEY_FILE (a file with the private key), or ')] : []),
      ...(this.sealedAgain > 0 ? [againNote('kubeseal', this.sealedAgain, '')] : []),
    ];
  }

  /**
   * The encrypted file; undefined if the object is written as it is.
   *
   * @param secrets where late values are that are credentials
   */
  public file({ id, deletion }: AssemblyObject, manifest: Manifest, secrets: ReadonlySet<string>, file: string): LateFile | undefined {
    const how = this.byId.get(id);
    if (how?.certificate !== undefined && isSecretObject(manifest)) { return this.sealed(how, manifest, deletion?.policy === 'keep', file); }
    const fields = how?.recipients ? secretFields(manifest, secrets) : [];
    if (!how?.recipients || fields.length === 0) { return undefined; }
    const place = file.replace(/\.yaml$/, '.sops.yaml');
    const { recipients } = how;
    const keeper = remembered(this.keepers, how, () => new SopsKeeper(new Sops(), recipients));
    const { text, digest } = keeper.encrypted({ id, text: toYaml(manifest), format: 'yaml', fields }, previous(place));
    return { file: place, content: commented(digest.digest, text), mode: PUBLIC_MODE };
  }

  private sealed(how: AssemblyEncryption, secret: Manifest, isKept: boolean, file: string): LateFile {
    const scope = (how.scope ?? 'strict') as SealScope;
    const sealer = remembered(this.sealers, how, () => new Sealer(new Kubeseal(), how.certificate!, scope));
    const before = previous(file);
    const earlier = before && { sealed: readYaml(before.text)[0], digests: digestsOf(before.digest) };
    const [values] = sealer.seal([{ secret, ...(earlier ? { previous: earlier } : {}) }]);
    if (values.again) { this.sealedAgain++; }
    const stays = isKept || secret.metadata.namespace === GLOBAL_DATA;
    const text = toYaml(sealedSecretOf(secret, values.encryptedData, { scope: scopeOf(secret, scope), stays }));
    return { file, content: commented(values.digests && JSON.stringify(values.digests), text), mode: PUBLIC_MODE };
  }
}

function previous(file: string): { readonly text: string; readonly digest?: string } | undefined {
  if (!existsSync(file)) { return undefined; }
  const text = readFileSync(file, 'utf8');
  if (!text.startsWith(COMMENT)) { return { text }; }
  const end = text.indexOf('\n');
  return { text: text.slice(end + 1), digest: text.slice(COMMENT.length, end) };
}

function digestsOf(text: string | undefined): { readonly [key: string]: string } {
  try {
    return JSON.parse(text ?? '{}') as { readonly [key: string]: string };
  } catch {
    return {};
  }
}

function commented(digest: string | undefined, text: string): string {
  return digest === undefined ? text : `${COMMENT}${digest}\n${text}`;
}

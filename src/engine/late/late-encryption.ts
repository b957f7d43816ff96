import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyEncryption, AssemblyObject } from '../../core/output/assembly';
import { LateRecord, readRecord } from '../../core/output/late-files';
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

/** An object whose secrets are encrypted. */
export interface EncryptedText {
  readonly text: string;
  /** Shows a later run what did not change; empty without a key for digests. */
  readonly digests: Pick<LateRecord, 'digest' | 'digests'>;
  /** Whether SOPS encrypted it, so that its file has a name of its own. */
  readonly isSops: boolean;
}

/** File mode of objects without secrets in plain text, like other files of an output. */
export const PUBLIC_MODE = 0o644;

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
   * The encrypted object; undefined if the object is written as it is.
   *
   * @param secrets where late values are that are credentials
   * @param before the text of its previous file
   */
  public encrypted({ id, deletion }: AssemblyObject, manifest: Manifest, secrets: ReadonlySet<string>, before?: string): EncryptedText | undefined {
    const how = this.byId.get(id);
    if (how?.certificate !== undefined && isSecretObject(manifest)) { return this.sealed(how, manifest, deletion?.policy === 'keep', before); }
    const fields = how?.recipients ? secretFields(manifest, secrets) : [];
    if (!how?.recipients || fields.length === 0) { return undefined; }
    const { recipients } = how;
    const keeper = remembered(this.keepers, how, () => new SopsKeeper(new Sops(), recipients));
    const previous = before === undefined ? undefined : readRecord(before);
    const { text, digest } = keeper.encrypted({ id, text: toYaml(manifest), format: 'yaml', fields }, previous && { text: previous.text, digest: previous.record?.digest });
    return { text, digests: digest, isSops: true };
  }

  private sealed(how: AssemblyEncryption, secret: Manifest, isKept: boolean, before: string | undefined): EncryptedText {
    const scope = (how.scope ?? 'strict') as SealScope;
    const sealer = remembered(this.sealers, how, () => new Sealer(new Kubeseal(), how.certificate!, scope));
    const previous = before === undefined ? undefined : readRecord(before);
    const earlier = previous && { sealed: readYaml(previous.text)[0], digests: previous.record?.digests };
    const [values] = sealer.seal([{ secret, ...(earlier ? { previous: earlier } : {}) }]);
    if (values.again) { this.sealedAgain++; }
    const stays = isKept || secret.metadata.namespace === GLOBAL_DATA;
    const text = toYaml(sealedSecretOf(secret, values.encryptedData, { scope: scopeOf(secret, scope), stays }));
    return { text, digests: values.digests ? { digests: values.digests } : {}, isSops: false };
  }
}

import { SpawnSyncReturns } from 'child_process';
import { randomUUID } from 'crypto';
import { writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { SEALED_SECRET, SealScope, encryptedDataOf } from './sealed-secret';
import { Manifest, refKey } from '../manifest/manifest';
import { EncryptionProgram, firstLine, inNewFolder } from '../secret/encryption-program';
import { readYaml } from '../yaml/yaml-reader';

/** Since this version, it takes several Secrets at once. @see bitnami-labs/sealed-secrets:RELEASE-NOTES.md v0.24.0 */
const KUBESEAL = { name: 'kubeseal', since: [0, 24], version: /^kubeseal version: /, repository: 'bitnami-labs/sealed-secrets' } as const;

/** Values of a Secret to be encrypted. */
export interface ToSeal {
  readonly namespace: string;
  readonly name: string;
  /** In Base64, by key. */
  readonly values: ReadonlyMap<string, string>;
}

/** The program `kubeseal`, without a cluster. Values in plain text reach it by its standard input only. */
export class Kubeseal extends EncryptionProgram {
  constructor(program = 'kubeseal') {
    super(program, KUBESEAL);
  }

  /** The encrypted values of each Secret, by key. Throws without a value if this fails. */
  public seal(secrets: readonly ToSeal[], certificate: string, scope: SealScope): { readonly [key: string]: string }[] {
    this.check();
    if (secrets.length === 0) { return []; }
    const input = secrets.map(({ namespace, name, values }) => JSON.stringify({
      apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: Object.fromEntries(values),
    })).join('\n');
    return inNewFolder((folder) => {
      const file = join(folder, 'certificate.pem');
      writeFileSync(file, certificate);
      const { status, stdout, stderr } = this.run(['--cert', file, '--scope', scope, '--format', 'yaml'], input);
      if (status !== 0) { throw new Error(`${this.program} failed: ${firstLine(stderr)}. Fix: check the certificate`); }
      return sealedValues(stdout, secrets);
    });
  }

  protected override run(args: readonly string[], input: string): SpawnSyncReturns<string> {
    // a file that does not exist, so that no cluster is asked
    return super.run(args, input, { ...process.env, KUBECONFIG: join(tmpdir(), `cdk8s-harvester-none-${randomUUID()}`) });
  }
}

/** The values in the output of kubeseal, in the order of its input. Throws if one of them is missing, or in plain text. */
function sealedValues(output: string, secrets: readonly ToSeal[]): { readonly [key: string]: string }[] {
  const sealed = readYaml(output).filter((document) => document !== null) as Manifest[];
  return secrets.map(({ namespace, name, values }, index) => {
    const wanted = refKey({ ...SEALED_SECRET, namespace, name });
    const encrypted = encryptedDataOf(sealed[index]);
    const isSame = sealed[index] !== undefined && refKey({ ...sealed[index], ...sealed[index].metadata }) === wanted;
    const isPlain = (text: string, value: string): boolean => text === value || text === Buffer.from(value, 'base64').toString('utf8');
    const open = [...values].filter(([key, value]) => !isSame || !encrypted[key] || isPlain(encrypted[key], value));
    if (open.length > 0) { throw new Error(`${wanted}: kubeseal did not encrypt ${open.map(([key]) => key).join(', ')}; nothing was written. Fix: report this as a defect`); }
    return encrypted;
  });
}

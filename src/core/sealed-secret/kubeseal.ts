import { spawnSync } from 'child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { SEALED_SECRET, SealScope, encryptedDataOf } from './sealed-secret';
import { Manifest, refKey } from '../manifest/manifest';
import { readYaml } from '../yaml/yaml-reader';

/** The first version that takes several Secrets at once. @see bitnami-labs/sealed-secrets:RELEASE-NOTES.md v0.24.0 */
const MIN_VERSION = [0, 24] as const;

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Values of a Secret to be encrypted. */
export interface ToSeal {
  readonly namespace: string;
  readonly name: string;
  /** In Base64, by key. */
  readonly values: ReadonlyMap<string, string>;
}

/** The program `kubeseal`, without a cluster. Values in plain text reach it by its standard input only. */
export class Kubeseal {
  private isChecked = false;

  constructor(private readonly program = 'kubeseal') {}

  /** The encrypted values of each Secret, by key. Throws without a value if this fails. */
  public seal(secrets: readonly ToSeal[], certificate: string, scope: SealScope): { readonly [key: string]: string }[] {
    this.check();
    if (secrets.length === 0) { return []; }
    const input = secrets.map(({ namespace, name, values }) => JSON.stringify({
      apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: Object.fromEntries(values),
    })).join('\n');
    const folder = mkdtempSync(join(tmpdir(), 'cdk8s-harvester-seal-'));
    try {
      const file = join(folder, 'certificate.pem');
      writeFileSync(file, certificate);
      const { status, stdout, stderr } = this.run(['--cert', file, '--scope', scope, '--format', 'yaml'], input, join(folder, 'none'));
      if (status !== 0) { throw new Error(`${this.program} failed: ${firstLine(stderr)}. Fix: check the certificate`); }
      return sealedValues(stdout, secrets);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Throws if the program is missing, or too old. */
  public check(): void {
    if (this.isChecked) { return; }
    const { status, stdout, error } = this.run(['--version'], '', '');
    const fix = `Fix: install kubeseal ${MIN_VERSION.join('.')} or later (https://github.com/bitnami-labs/sealed-secrets/releases)`;
    if (error || status !== 0) { throw new Error(`the program ${this.program} cannot be run${error ? `: ${error.message}` : ''}. ${fix}, or set its path`); }
    const version = /^kubeseal version: v?(\d+)\.(\d+)/m.exec(stdout);
    const [major, minor] = (version?.slice(1) ?? []).map(Number);
    if (version === null || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
      throw new Error(`the program ${this.program} must be kubeseal ${MIN_VERSION.join('.')} or later, got ${JSON.stringify(firstLine(stdout))}. ${fix}`);
    }
    this.isChecked = true;
  }

  /** @param kubeconfig a file that does not exist, so that no cluster is asked */
  private run(args: readonly string[], input: string, kubeconfig: string): { status: number | null; stdout: string; stderr: string; error?: Error } {
    return spawnSync(this.program, args, { input, env: { ...process.env, KUBECONFIG: kubeconfig }, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  }
}

/** The values in the output of kubeseal, in the order of its input. Throws if one of them is missing, or in plain text. */
function sealedValues(output: string, secrets: readonly ToSeal[]): { readonly [key: string]: string }[] {
  const sealed = readYaml(output).filter((document) => document !== null) as Manifest[];
  return secrets.map(({ namespace, name, values }, index) => {
    const wanted = refKey({ ...SEALED_SECRET, namespace, name });
    const encrypted = encryptedDataOf(sealed[index]);
    const isSame = sealed[index] !== undefined && refKey({ ...sealed[index], ...sealed[index].metadata }) === wanted;
    const open = [...values].filter(([key, value]) => !isSame || !encrypted[key] || encrypted[key] === value || encrypted[key] === decoded(value));
    if (open.length > 0) { throw new Error(`${wanted}: kubeseal did not encrypt ${open.map(([key]) => key).join(', ')}; nothing was written. Fix: report this as a defect`); }
    return encrypted;
  });
}

function decoded(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}

/** The message before its details, without the prefix of a log. */
function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0].replace(/^error: /, '').slice(0, 200);
}

import { SpawnSyncReturns } from 'child_process';
import { randomUUID } from 'crypto';
import { writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import {
  encryptedDataOf,
  sealScopeOf,
  SEALED_SECRET,
  sealedFor,
  SealScope,
  secretValues,
} from './sealed-secret';
import { Manifest, refKey } from '../manifest/manifest';
import { EncryptionProgram, firstLine, inNewFolder } from '../secret/encryption-program';
import { digestKey, keyedDigest } from '../secret/keyed-digest';
import { readYaml } from '../yaml/yaml-reader';

/**
 * Since this version, it takes several Secrets at once.
 * @see bitnami-labs/sealed-secrets:RELEASE-NOTES.md v0.24.0
 */
const KUBESEAL = {
  name: 'kubeseal',
  since: [0, 24],
  version: /^kubeseal version: /,
  repository: 'bitnami-labs/sealed-secrets',
} as const;

/** Values of a Secret to be encrypted. */
interface ToSeal {
  readonly namespace: string;
  readonly name: string;
  /** In Base64, by key. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * The program `kubeseal`, without a cluster. Values in plain text reach it by its standard input
 * only.
 */
export class Kubeseal extends EncryptionProgram {
  constructor(program = 'kubeseal') {
    super(program, KUBESEAL);
  }

  /** The encrypted values of each Secret, by key. Throws without a value if this fails. */
  public seal(
    secrets: readonly ToSeal[],
    certificate: string,
    scope: SealScope,
  ): { readonly [key: string]: string }[] {
    this.check();
    if (secrets.length === 0) {
      return [];
    }
    const input = secrets
      .map(({ namespace, name, values }) =>
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace },
          data: Object.fromEntries(values),
        }),
      )
      .join('\n');
    return inNewFolder((folder) => {
      const file = join(folder, 'certificate.pem');
      writeFileSync(file, certificate);
      const { status, stdout, stderr } = this.run(
        ['--cert', file, '--scope', scope, '--format', 'yaml'],
        input,
      );
      if (status !== 0) {
        throw new Error(`${this.program} failed: ${firstLine(stderr)}. Fix: check the certificate`);
      }
      return sealedValues(stdout, secrets);
    });
  }

  protected override run(args: readonly string[], input: string): SpawnSyncReturns<string> {
    // a file that does not exist, so that no cluster is asked
    return super.run(args, input, {
      ...process.env,
      KUBECONFIG: join(tmpdir(), `cdk8s-harvester-none-${randomUUID()}`),
    });
  }
}

/**
 * The values in the output of kubeseal, in the order of its input. Throws if one of them is
 * missing, or in plain text.
 */
function sealedValues(
  output: string,
  secrets: readonly ToSeal[],
): { readonly [key: string]: string }[] {
  const sealed = readYaml(output).filter((document) => document !== null) as Manifest[];
  return secrets.map(({ namespace, name, values }, index) => {
    const wanted = refKey({ ...SEALED_SECRET, namespace, name });
    const encrypted = encryptedDataOf(sealed[index]);
    const isSame =
      sealed[index] !== undefined &&
      refKey({ ...sealed[index], ...sealed[index].metadata }) === wanted;
    const isPlain = (text: string, value: string): boolean =>
      text === value || text === Buffer.from(value, 'base64').toString('utf8');
    const open = [...values].filter(
      ([key, value]) => !isSame || !encrypted[key] || isPlain(encrypted[key], value),
    );
    if (open.length > 0) {
      throw new Error(
        `${wanted}: kubeseal did not encrypt ${open.map(([key]) => key).join(', ')}; nothing was written. Fix: report this as a defect`,
      );
    }
    return encrypted;
  });
}

/** Digests of the values of a SealedSecret, by key. */
export type ValueDigests = { readonly [key: string]: string };

/** A Secret to be sealed. */
export interface SealRequest {
  readonly secret: Manifest;
  /** The earlier SealedSecret, and the digests of its values. @default - there was none */
  readonly previous?: { readonly sealed: unknown; readonly digests?: ValueDigests };
}

/** The encrypted values of a Secret. */
export interface SealedValues {
  readonly encryptedData: { readonly [key: string]: string };
  /** Undefined without a key for digests. */
  readonly digests?: ValueDigests;
  /** Whether a previous value was encrypted again without a look at whether it changed. */
  readonly again: boolean;
}

/** Seals Secrets for one controller, and keeps encrypted values whose plain text did not change. */
export class Sealer {
  private readonly key = digestKey();

  constructor(
    private readonly kubeseal: Kubeseal,
    private readonly certificate: string,
    private readonly scope: SealScope,
  ) {}

  public seal(requests: readonly SealRequest[]): SealedValues[] {
    const open = requests.map((request) => this.openValues(request));
    const fresh = this.sealed(requests, open);
    return requests.map(({ secret, previous }, index): SealedValues => {
      const values = secretValues(secret);
      const former = encryptedDataOf(previous?.sealed);
      const encryptedData = Object.fromEntries(
        [...values.keys()]
          .sort()
          .map((key) => [key, open[index].has(key) ? fresh[index][key] : former[key]]),
      );
      const digests = Object.fromEntries(
        [...values]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .flatMap(([key, value]) => {
            const digest = this.digest(secret, key, value, encryptedData[key]);
            return digest === undefined ? [] : [[key, digest]];
          }),
      );
      return {
        encryptedData,
        ...(this.key === undefined ? {} : { digests }),
        again: this.key === undefined && Object.keys(former).length > 0,
      };
    });
  }

  /** The values without an encrypted form that is still right. */
  private openValues({ secret, previous }: SealRequest): ReadonlyMap<string, string> {
    const former = encryptedDataOf(previous?.sealed);
    return new Map(
      [...secretValues(secret)].filter(([key, value]) => {
        const digest =
          former[key] === undefined ? undefined : this.digest(secret, key, value, former[key]);
        return digest === undefined || digest !== previous?.digests?.[key];
      }),
    );
  }

  /** One run of kubeseal for each scope. */
  private sealed(
    requests: readonly SealRequest[],
    open: readonly ReadonlyMap<string, string>[],
  ): { readonly [key: string]: string }[] {
    const found: { readonly [key: string]: string }[] = requests.map(() => ({}));
    const scopes = requests.map(({ secret }) => sealScopeOf(secret, this.scope));
    for (const scope of new Set(scopes)) {
      const places = requests.flatMap((_, index) =>
        scopes[index] === scope && open[index].size > 0 ? [index] : [],
      );
      const sealed = this.kubeseal.seal(
        places.map((index) => {
          const { namespace = '', name } = requests[index].secret.metadata;
          return { namespace, name, values: open[index] };
        }),
        this.certificate,
        scope,
      );
      places.forEach((index, place) => {
        found[index] = sealed[place];
      });
    }
    return found;
  }

  private digest(
    secret: Manifest,
    key: string,
    value: string,
    encrypted: string,
  ): string | undefined {
    const scope = sealScopeOf(secret, this.scope);
    return this.key === undefined
      ? undefined
      : keyedDigest(
          this.key,
          this.certificate,
          scope,
          sealedFor(secret, scope),
          key,
          value,
          encrypted,
        );
  }
}

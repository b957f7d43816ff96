import { X509Certificate } from 'crypto';
import { readFileSync } from 'fs';
import {
  HiddenObject,
  HiddenPart,
  SecretHiding,
  withEncryption,
  outlives,
  previousTexts,
} from './hiding';
import { hideSecrets, inPlaceOf } from './left-secrets';
import { Manifest, isManifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { checkCertificates, pemBlocks } from '../../core/problem/certificates';
import { DeliveredOutput, PlainOutput } from '../../core/program/delivery-step';
import {
  SealScope,
  sealScopeOf,
  sealedSecretOf,
  secretValues,
} from '../../core/sealed-secret/sealed-secret';
import { Kubeseal, Sealer } from '../../core/sealed-secret/sealer';
import { againNote } from '../../core/secret/keyed-digest';
import { isSecretObject } from '../../core/secret/secret-fields';
import { readYaml, tryYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';

/**
 * Where the controller of Sealed Secrets decrypts a SealedSecret. A Secret with an annotation of
 * Sealed Secrets for its scope keeps that scope.
 * @see https://github.com/bitnami-labs/sealed-secrets#scopes
 */
export enum SealedSecretScope {
  /** Under the same name, in the same namespace. */
  STRICT = 'strict',
  /** In the same namespace. */
  NAMESPACE_WIDE = 'namespace-wide',
  /** Anywhere in the cluster. */
  CLUSTER_WIDE = 'cluster-wide',
}

/** Properties of secrets that are sealed for the controller of Sealed Secrets. */
export interface SealedSecretsProps {
  /**
   * The certificate of the controller: the path of a file, or the certificate itself in PEM.
   * `kubeseal --fetch-cert` prints it.
   *
   * Each cluster has its own: choose it for each target chart with `SecretDelivery.of(chart).use(…)`.
   */
  readonly certificate: string;
  /** Where the controller decrypts the SealedSecrets. @default SealedSecretScope.STRICT */
  readonly scope?: SealedSecretScope;
  /** The program `kubeseal`. @default - `kubeseal`, found on the PATH */
  readonly program?: string;
}

/** The certificate in PEM. Throws if it cannot be right. */
function certificateOf({ certificate, scope }: SealedSecretsProps): string {
  const fix = 'Fix: set it to a file with what `kubeseal --fetch-cert` prints';
  if (scope !== undefined && !(Object.values(SealedSecretScope) as SealScope[]).includes(scope)) {
    throw new Error(
      `SecretDelivery.sealedSecrets: scope must be one of ${Object.values(SealedSecretScope).join(', ')}, got ${JSON.stringify(scope)}. Fix: set one of them`,
    );
  }
  let text = certificate;
  if (!certificate.includes('-----BEGIN')) {
    try {
      text = readFileSync(certificate, 'utf8');
    } catch (error) {
      throw new Error(
        `SecretDelivery.sealedSecrets: certificate ${certificate} cannot be read: ${(error as Error).message}. ${fix}`,
      );
    }
  }
  const [problem] = checkCertificates('certificate', text);
  if (problem) {
    throw new Error(`SecretDelivery.sealedSecrets: certificate: ${problem.message}. ${fix}`);
  }
  const [first] = pemBlocks(text);
  const { asymmetricKeyType } = new X509Certificate(first).publicKey;
  if (asymmetricKeyType !== 'rsa') {
    throw new Error(
      `SecretDelivery.sealedSecrets: certificate must have an RSA key, got ${asymmetricKeyType}. ${fix}`,
    );
  }
  return `${first}\n`;
}

const LEFT = {
  reason: 'contains a secret, and only Secrets can be sealed',
  fix: 'write it with cdk8s-harvester apply, which needs the same secrets; or encrypt it with SecretDelivery.of(construct).use(SecretDelivery.sops(…))',
};

/** Secrets as SealedSecrets; what else contains a secret is left to apply. */
export class SealedHiding implements SecretHiding {
  private readonly certificate: string;
  private readonly scope: SealScope;

  constructor(private readonly props: SealedSecretsProps) {
    this.certificate = certificateOf(props);
    this.scope = props.scope ?? 'strict';
  }

  public readonly hide = (output: PlainOutput, ids: readonly string[]): HiddenPart => {
    const { secrets, ...left } = hideSecrets(
      output,
      ids,
      (entry, secret) => this.sealed(entry, secret),
      (isSecret) => (isSecret ? undefined : LEFT),
    );
    const { objects } = left;
    const { certificate, scope } = this;
    return {
      ...left,
      ownFiles: new Map([...secrets.keys()].map((id) => [id, ''])),
      answers: new Map(
        [...objects.keys()].map((id) => [
          id,
          secrets.has(id) ? 'is sealed in the output' : 'is in no file of the output',
        ]),
      ),
      finish: (delivered, outdir) => {
        const byId = new Map(
          [...secrets].map(([id, secret]) => [objects.get(id)!.entry.id, secret]),
        );
        const { assembly: after, files, notes } = this.finish(byId, delivered, outdir);
        const waiting = ids.filter(
          (id) => isSecretObject(output.manifests.get(id)!) && !secrets.has(id),
        );
        return {
          delivered: {
            assembly: withEncryption(after, waiting, {
              certificate,
              ...(scope === 'strict' ? {} : { scope }),
            }),
            files,
          },
          notes,
        };
      },
    };
  };

  /** The SealedSecret before its values are encrypted. */
  private sealed(entry: AssemblyObject, secret: Manifest): HiddenObject {
    const empty = Object.fromEntries(
      [...secretValues(secret).keys()].sort().map((key) => [key, '']),
    );
    const manifest = sealedSecretOf(secret, empty, {
      scope: sealScopeOf(secret, this.scope),
      stays: outlives(entry, secret),
    });
    return inPlaceOf(entry, manifest);
  }

  private finish(
    secrets: ReadonlyMap<string, Manifest>,
    { assembly, files }: DeliveredOutput,
    outdir: string,
  ): DeliveredOutput & { readonly notes: readonly string[] } {
    const kubeseal = new Kubeseal(this.props.program);
    // also without secrets: a build should not fail on the day of the first one
    kubeseal.check();
    const own = assembly.objects.filter(({ id }) => secrets.has(id));
    const previous = previousTexts(outdir, new Set(own.flatMap(({ file }) => file ?? [])));
    const sealed = new Sealer(kubeseal, this.certificate, this.scope).seal(
      own.map(({ id }) => {
        const { text, digests } = previous.get(id) ?? {};
        if (text === undefined) {
          return { secret: secrets.get(id)! };
        }
        return {
          secret: secrets.get(id)!,
          previous: { sealed: tryYaml(text).documents?.find(isManifest), digests },
        };
      }),
    );
    const values = new Map(own.map(({ id }, index) => [id, sealed[index]]));
    const texts = new Map(files);
    const objects = assembly.objects.map((object): AssemblyObject => {
      const { encryptedData, digests } = values.get(object.id) ?? {};
      if (encryptedData === undefined) {
        return object;
      }
      const complete = (manifest: Manifest): Manifest => ({
        ...manifest,
        spec: { ...(manifest.spec as object), encryptedData },
      });
      const { file, template } = object;
      if (file !== undefined) {
        texts.set(file, toYaml(complete(readYaml(texts.get(file)!)[0] as Manifest)));
      }
      return {
        ...object,
        ...(template ? { template: complete(template) } : {}),
        ...(digests ? { digests } : {}),
      };
    });
    const again = sealed.filter((each) => each.again).length;
    return {
      assembly: { ...assembly, objects },
      files: texts,
      notes: again > 0 ? [againNote('kubeseal', again, '')] : [],
    };
  }
}

import { Command, Option } from 'commander';
import { textReport } from '../../../core/rule/report';
import { plainText } from '../../../core/text/plain-text';
import { Delivery } from '../../../delivery/delivery';
import { ArgoCdDecryption } from '../../../delivery/engine/argo-cd-decryption';
import { DEFAULT_KEY } from '../../../delivery/secret/external-hiding';
import { SecretDelivery } from '../../../delivery/secret/secret-delivery';
import { DeliverTarget, deliver } from '../../../engine';
import { ReadOptions } from '../../../engine/read/find-files';
import { argoCdKsopsOption, argoCdPluginOption } from '../../option/argo-cd-options';
import { readingOf, repeatable, withReading } from '../../option/output-options';
import { print, printError } from '../../process';

/** The options of `deliver` as commander gives them. */
interface DeliverOptions extends ReadOptions {
  readonly engine: 'flux' | 'argocd' | 'fleet';
  readonly out: string;
  readonly repository: string;
  readonly path?: string;
  readonly revision?: string;
  readonly namePrefix?: string;
  readonly target: readonly string[];
  readonly sopsRecipient: readonly string[];
  readonly sealedSecretsCertificate: readonly string[];
  readonly externalSecretsStore?: string;
  readonly externalSecretsKey?: string;
  readonly plainSecrets?: true;
  readonly argocdPlugin?: string;
  readonly argocdKsops?: true;
}

/** `deliver`: writes an output, or manifests of any origin, for a GitOps engine. */
export function deliverCommand(): Command {
  return withReading(new Command('deliver'))
    .description(
      'write an output folder, or manifests of any origin, in stages for a GitOps engine',
    )
    .argument(
      '[path]',
      'output folder of a synthesis, or a folder with a folder of manifests for each cluster',
      'dist',
    )
    .addOption(
      new Option('--engine <engine>', 'write for this engine')
        .choices(['flux', 'argocd', 'fleet'])
        .makeOptionMandatory(),
    )
    .requiredOption('--out <folder>', 'write to this folder; files of others in it are left alone')
    .requiredOption(
      '--repository <repository>',
      'use this source: the name of a GitRepository for Flux, the URL of a repository for Argo CD and Fleet',
    )
    .option('--path <path>', 'the output folder as a path in the repository', 'dist')
    .option('--revision <revision>', 'deliver this branch, tag or commit (Argo CD, Fleet)')
    .option(
      '--name-prefix <prefix>',
      'begin the names of Kustomizations, Applications, bundles and GitRepos with this text',
    )
    .addOption(
      repeatable(
        '--target <name>=<kind>@<version>',
        'treat the manifests in the folder of this name as objects of this cluster, e.g. dc1=harvester@1.7.2',
      ),
    )
    .addOption(
      repeatable('--sops-recipient <key>', 'encrypt secrets with SOPS for this public key of age'),
    )
    .addOption(
      repeatable(
        '--sealed-secrets-certificate <file>',
        'seal Secrets for the controller with this certificate; <target>=<file> for one cluster',
      ),
    )
    .option(
      '--external-secrets-store <store>',
      'let the External Secrets Operator read Secrets from this ClusterSecretStore',
    )
    .option(
      '--external-secrets-key <key>',
      `read each Secret from this key of the store, with {target}, {namespace}, and {name} (default: ${DEFAULT_KEY})`,
    )
    .option('--plain-secrets', 'accept that Fleet keeps secrets in plain text')
    .addOption(argoCdPluginOption())
    .addOption(argoCdKsopsOption())
    .action((path: string, options: DeliverOptions) => {
      const { stages, findings, notes } = deliver(path, {
        ...readingOf(options),
        delivery: deliveryOf(options),
        out: options.out,
        ...secretsOf(options),
        targets: options.target.map(targetOf),
        plainSecrets: options.plainSecrets,
      });
      for (const note of notes) {
        printError(note);
      }
      if (findings.length > 0) {
        printError(textReport(findings));
      }
      for (const { folder, after } of stages) {
        print(plainText(`${folder}${after.length > 0 ? ` after ${after.join(', ')}` : ''}`));
      }
    });
}

/** How secrets are kept: on all targets, and on single ones. */
function secretsOf({
  sopsRecipient,
  sealedSecretsCertificate,
  externalSecretsStore,
  externalSecretsKey,
}: DeliverOptions): Pick<Parameters<typeof deliver>[1], 'secrets' | 'targetSecrets'> {
  const certificates = sealedSecretsCertificate.map((text) =>
    /^(?:([a-z0-9][-a-z0-9]*)=)?(.*)$/s.exec(text)!,
  );
  const targetSecrets = Object.fromEntries(
    certificates
      .filter(([, target]) => target !== undefined)
      .map(([, target, certificate]) => [target, SecretDelivery.sealedSecrets({ certificate })]),
  );
  const forAll = [
    ...(sopsRecipient.length > 0 ? [SecretDelivery.sops({ recipients: [...sopsRecipient] })] : []),
    ...certificates.flatMap(([, target, certificate]) =>
      target === undefined ? [SecretDelivery.sealedSecrets({ certificate })] : [],
    ),
    ...(externalSecretsStore === undefined
      ? []
      : [
          SecretDelivery.externalSecrets({
            store: externalSecretsStore,
            keyOf: externalSecretsKey,
          }),
        ]),
  ];
  if (forAll.length > 1) {
    throw new Error(
      '--sops-recipient, --sealed-secrets-certificate, --external-secrets-store: must be one of them for all clusters. ' +
        'Fix: leave out the others, or name the cluster of a certificate, e.g. dc1=dc1.pem',
    );
  }
  if (externalSecretsKey !== undefined && externalSecretsStore === undefined) {
    throw new Error('--external-secrets-key: needs a store. Fix: set --external-secrets-store');
  }
  return { secrets: forAll[0], targetSecrets };
}

function deliveryOf(options: DeliverOptions): Delivery {
  const { engine, repository, path, revision, namePrefix, argocdPlugin, argocdKsops } = options;
  if (engine !== 'argocd' && (argocdPlugin !== undefined || argocdKsops)) {
    throw new Error(
      '--argocd-plugin, --argocd-ksops: cannot be set without --engine argocd. Fix: leave them out',
    );
  }
  if (engine === 'flux') {
    return Delivery.flux({ sourceName: repository, path, namePrefix });
  }
  return engine === 'argocd'
    ? Delivery.argoCd({ repository, path, revision, namePrefix, decryption: decryptionOf(options) })
    : Delivery.fleet({ repository, path, branch: revision, namePrefix });
}

function decryptionOf({
  argocdPlugin,
  argocdKsops,
}: Pick<DeliverOptions, 'argocdPlugin' | 'argocdKsops'>): ArgoCdDecryption | undefined {
  if (argocdPlugin !== undefined) {
    return ArgoCdDecryption.plugin({ name: argocdPlugin });
  }
  return argocdKsops ? ArgoCdDecryption.ksops() : undefined;
}

function targetOf(text: string): DeliverTarget {
  const [, name, kind, version] =
    /^([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)=(rancher|harvester|guest)@(\S+)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new Error(
      `--target: must be <name>=<kind>@<version> with the kind rancher, harvester or guest, got ${text}. Fix: give e.g. dc1=harvester@1.7.2`,
    );
  }
  return { name, kind: kind as DeliverTarget['kind'], version };
}

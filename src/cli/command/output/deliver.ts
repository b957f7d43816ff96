import { Command, Option } from 'commander';
import { deliver, deliverManifests, DeliverResult } from '../../../commands';
import { textReport } from '../../../core/rule/report';
import { plainText, plural } from '../../../core/text/plain-text';
import { Delivery } from '../../../delivery/delivery';
import { ArgoCdDecryption } from '../../../delivery/engine/argo-cd-decryption';
import { DEFAULT_KEY } from '../../../delivery/secret/external-hiding';
import { SecretDelivery } from '../../../delivery/secret/secret-delivery';
import { ReadOptions } from '../../../engine/files/find-files';
import { argoCdKsopsOption, argoCdPluginOption } from '../../option/argo-cd-options';
import { clusterManifestsOf, FROM } from '../../option/manifest-folders';
import { OUTPUT_FOLDER, readingOf, repeatable, withReading } from '../../option/output-options';
import { print, printError } from '../../terminal/process';

/** The options of `deliver` as commander gives them. */
interface DeliverOptions extends ReadOptions {
  readonly delivery: 'flux' | 'argocd' | 'fleet';
  readonly outputDir: string;
  readonly repository?: string;
  readonly sourceName?: string;
  readonly path?: string;
  readonly revision?: string;
  readonly namePrefix?: string;
  readonly from: readonly string[];
  readonly sopsRecipient: readonly string[];
  readonly sealedSecretsCertificate: readonly string[];
  readonly externalSecretsStore?: string;
  readonly externalSecretsKey?: string;
  readonly acceptPlainSecrets?: true;
  readonly argocdPlugin?: string;
  readonly argocdKsops?: true;
}

/** `deliver`: writes an output, or manifests of any origin, for a GitOps engine. */
export function deliverCommand(): Command {
  return withReading(new Command('deliver'))
    .description(
      'write an output folder, or manifests of any origin, in stages for a GitOps engine',
    )
    .argument('[path]', `${OUTPUT_FOLDER}; without --from (default: "dist")`)
    .addOption(
      new Option('--delivery <engine>', 'let this deliver the output')
        .choices(['flux', 'argocd', 'fleet'])
        .makeOptionMandatory(),
    )
    .requiredOption(
      '--output-dir <folder>',
      'write to files in this folder; files of others in it are left alone',
    )
    .option('--repository <url>', 'let the engine clone this Git repository; Argo CD and Fleet')
    .option('--source-name <name>', 'let Flux read this GitRepository')
    .option('--path <path>', 'the output folder as a path in the repository', 'dist')
    .option('--revision <revision>', 'deliver this branch, tag or commit (Argo CD, Fleet)')
    .option(
      '--name-prefix <prefix>',
      'begin the names of Kustomizations, Applications, bundles and GitRepos with this text',
    )
    .addOption(repeatable('--from <target:kind@version=folder>', FROM))
    .addOption(repeatable('--sops-recipient <key>', 'encrypt secrets for this public key of age'))
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
    .option('--accept-plain-secrets', 'accept that Fleet keeps secrets in plain text')
    .addOption(argoCdPluginOption())
    .addOption(argoCdKsopsOption())
    .action(runDeliver);
}

async function runDeliver(path: string | undefined, options: DeliverOptions): Promise<void> {
  const { stages, findings, notes } = await run(path, options);
  for (const note of notes) {
    printError(note);
  }
  if (findings.length > 0) {
    printError(textReport(findings));
  }
  for (const { folder, after } of stages) {
    print(plainText(`${folder}${after.length > 0 ? ` after ${after.join(', ')}` : ''}`));
  }
  print(plainText(`wrote ${plural(stages.length, 'stage')} to ${options.outputDir}`));
}

/** Delivers an output folder, or the manifests of clusters. */
async function run(path: string | undefined, options: DeliverOptions): Promise<DeliverResult> {
  const delivering = {
    delivery: deliveryOf(options),
    outputDir: options.outputDir,
    ...secretsOf(options),
    acceptPlainSecrets: options.acceptPlainSecrets,
  };
  if (options.from.length === 0) {
    return deliver(path ?? 'dist', delivering);
  }
  if (path !== undefined) {
    throw new Error(`--from: cannot be combined with ${path}. Fix: leave one of them out`);
  }
  const from = clusterManifestsOf(options.from);
  return deliverManifests(from, { ...delivering, ...readingOf(options) });
}

/** Where the engine reads the output; each engine has one word for it. */
function sourceOf(
  options: DeliverOptions,
  wanted: 'repository' | 'sourceName',
  other: 'repository' | 'sourceName',
): string {
  const flags = { repository: '--repository', sourceName: '--source-name' };
  const source = options[wanted];
  if (source === undefined || options[other] !== undefined) {
    throw new Error(
      `${flags[wanted]}: must be set with --delivery ${options.delivery}, and ${flags[other]} cannot. Fix: set ${flags[wanted]} alone`,
    );
  }
  return source;
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
  const { delivery, path, revision, namePrefix, argocdPlugin, argocdKsops } = options;
  if (delivery !== 'argocd' && (argocdPlugin !== undefined || argocdKsops)) {
    throw new Error(
      '--argocd-plugin, --argocd-ksops: cannot be set without --delivery argocd. Fix: leave them out',
    );
  }
  if (delivery === 'flux') {
    const sourceName = sourceOf(options, 'sourceName', 'repository');
    return Delivery.flux({ sourceName, path, namePrefix });
  }
  const repository = sourceOf(options, 'repository', 'sourceName');
  return delivery === 'argocd'
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

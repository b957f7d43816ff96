import { fieldsOf, itemsOf, textMapOf } from './guest-target.adopt';
import { lacksDefaults } from './kubernetes/kubernetes.adopt';
import { clusterIdProp, clusterProps } from './provisioning-cluster.adopt';
import {
  DraftProps,
  DraftValue,
  FoundObject,
  call,
  enumValue,
  referOn,
  Surroundings,
  unless,
} from '../core/draft/draft';
import { durationOf } from '../core/draft/durations';
import { isRecord, valueAt, Fields } from '../core/manifest/manifest';
import { FLEET_DEFAULT } from '../core/manifest/names';
import { filledText } from '../core/text/plain-text';
import { filledFields } from '../core/text/values';
import { managementClusterIdOf } from '../rancher/cluster/cluster.facts';
import { GLOBAL_DATA, S3_CREDENTIAL } from '../rancher/credential/secret.kind';

/**
 * The props of a Cluster that are neither of its Kubernetes, nor of its machines, nor of its cloud
 * provider.
 */
export function provisionedProps(object: FoundObject, around: Surroundings): DraftProps {
  const { manifest: cluster, target: rancher } = object;
  const { namespace } = cluster.metadata;
  const spec = fieldsOf(cluster.spec);
  const config = fieldsOf(spec.rkeConfig);
  const common = clusterProps(object, around);
  const isPlain = lacksDefaults(spec.kubernetesVersion, config);
  return {
    fleetWorkspace: unless(namespace, FLEET_DEFAULT),
    // Rancher chooses one
    clusterId:
      managementClusterIdOf(cluster) === undefined
        ? call('ClusterId', 'late')
        : clusterIdProp(object),
    ...common,
    registries: registriesOf(config.registries),
    adopted: isPlain
      ? { ...(common.adopted as DraftProps | undefined), uiDefaults: false }
      : common.adopted,
    etcd: etcdOf(config.etcd, rancher, isPlain),
    upgradeStrategy: upgradeOf(config.upgradeStrategy),
    stackPreference: enumValue('StackPreference', valueAt(config, 'networking', 'stackPreference')),
    authorizedEndpoint: endpointOf(spec.localClusterAuthEndpoint),
    dataDirectories: textMapOf(
      Object.fromEntries(
        Object.entries(fieldsOf(config.dataDirectories)).filter(([, path]) => path !== ''),
      ),
    ),
    machineSelectors: selectorsOf(config.machineSelectorConfig),
    operations: operationsOf(spec, config),
  };
}

function registriesOf(given: unknown): DraftProps | undefined {
  const { mirrors, configs } = fieldsOf(given);
  const mirrorProps = Object.entries(fieldsOf(mirrors)).map(
    ([registry, mirror]) =>
      [
        registry,
        {
          endpoints: itemsOf(fieldsOf(mirror).endpoint) ?? [],
          rewrites: textMapOf(fieldsOf(mirror).rewrite),
        },
      ] as const,
  );
  const configProps = Object.entries(fieldsOf(configs)).map(
    ([registry, config]) => [registry, registryOf(fieldsOf(config))] as const,
  );
  return filledFields({
    mirrors: mirrorProps.length > 0 ? (Object.fromEntries(mirrorProps) as DraftProps) : undefined,
    configs: configProps.length > 0 ? (Object.fromEntries(configProps) as DraftProps) : undefined,
  });
}

function registryOf({
  authConfigSecretName: auth,
  tlsSecretName: tls,
  caBundle,
  insecureSkipVerify,
}: Fields): DraftProps {
  return {
    auth: filledText(auth) && call('RegistryAuth', 'fromSecretName', auth as string),
    tls: filledText(tls) && call('RegistryTls', 'fromSecretName', tls as string),
    caCertificates:
      filledText(caBundle) && Buffer.from(caBundle as string, 'base64').toString('utf8'),
    insecureSkipTlsVerify: insecureSkipVerify as DraftValue,
  };
}

function etcdOf(given: unknown, rancher: string, isPlain: boolean): DraftProps | undefined {
  const { disableSnapshots, s3, ...times } = fieldsOf(given);
  const isDisabled = disableSnapshots === true;
  return filledFields({
    enabled: isDisabled ? false : undefined,
    ...(isDisabled ? {} : snapshotTimesOf(times, isPlain)),
    s3: isRecord(s3) ? s3Of(s3, rancher) : undefined,
  });
}

/** When snapshots are taken and how many are kept; without Rancher's defaults unless plain. */
function snapshotTimesOf(
  { snapshotScheduleCron, snapshotRetention }: Fields,
  isPlain: boolean,
): DraftProps {
  if (isPlain) {
    return {
      schedule: snapshotScheduleCron as DraftValue,
      retention: snapshotRetention as DraftValue,
    };
  }
  return {
    schedule: unless(snapshotScheduleCron as string, '0 */5 * * *'),
    retention: unless(snapshotRetention as number, 5),
  };
}

function s3Of(
  {
    cloudCredentialName,
    endpointCA,
    skipSSLVerify,
    bucket,
    folder,
    region,
    endpoint,
    retention,
  }: Fields,
  rancher: string,
): DraftProps {
  const [namespace, name] = String(cloudCredentialName).split(':');
  const text = (value: unknown): DraftValue => (value === '' ? undefined : (value as DraftValue));
  return {
    credential:
      name === undefined ? undefined : s3CredentialOf(rancher, name, namespace || GLOBAL_DATA),
    bucket: text(bucket),
    folder: text(folder),
    region: text(region),
    endpoint: text(endpoint),
    caCertificates: text(endpointCA),
    insecureSkipTlsVerify: skipSSLVerify as DraftValue,
    retention: retention as DraftValue,
  };
}

// a construct refers to those of one namespace
function s3CredentialOf(rancher: string, name: string, namespace: string): DraftValue {
  return namespace === GLOBAL_DATA
    ? referOn(rancher, '/Secret', name, namespace, S3_CREDENTIAL)
    : undefined;
}

function upgradeOf(given: unknown): DraftProps | undefined {
  const {
    controlPlaneConcurrency,
    workerConcurrency,
    controlPlaneDrainOptions,
    workerDrainOptions,
  } = fieldsOf(given);
  return filledFields({
    controlPlaneConcurrency: unless(controlPlaneConcurrency as string, '1'),
    workerConcurrency: unless(workerConcurrency as string, '1'),
    controlPlaneDrain: drainOf(controlPlaneDrainOptions),
    workerDrain: drainOf(workerDrainOptions),
  });
}

function drainOf(given: unknown): DraftProps | undefined {
  if (!isRecord(given)) {
    return undefined;
  }
  const {
    gracePeriod,
    timeout,
    skipWaitForDeleteTimeoutSeconds: skipped,
    preDrainHooks,
    postDrainHooks,
  } = given;
  const isOff = given.enabled !== true;
  const hooks = (list: unknown): string[] | undefined =>
    itemsOf(list)?.map((each) => String(fieldsOf(each).annotation));
  const options = {
    force: given.force === true ? true : undefined,
    ignoreDaemonSets: given.ignoreDaemonSets === false ? false : undefined,
    deleteEmptyDirData:
      given.deleteEmptyDirData === true || (isOff && given.deleteEmptyDirData === undefined)
        ? undefined
        : false,
    disableEviction: given.disableEviction === true ? true : undefined,
    // as Rancher reads what is left out
    gracePeriod: durationOf(gracePeriod ?? (isOff ? undefined : 0)),
    timeout: timeout === 120 ? undefined : durationOf(timeout ?? (isOff ? undefined : 0)),
    skipWaitForDeleteTimeout: skipped === 0 ? undefined : durationOf(skipped),
    preDrainHooks: hooks(preDrainHooks),
    postDrainHooks: hooks(postDrainHooks),
  };
  if (!isOff) {
    return options;
  }
  return filledFields(options) && { enabled: false, ...options };
}

/** The prop `authorizedEndpoint`. */
export function endpointOf(given: unknown): DraftProps | undefined {
  const { enabled, fqdn, caCerts } = fieldsOf(given);
  if (!enabled && !fqdn && !caCerts) {
    return undefined;
  }
  return {
    enabled: enabled === true ? undefined : false,
    fqdn: filledText(fqdn),
    caCertificates: filledText(caCerts),
  };
}

/** The entries of `machineSelectorConfig` besides the first one for all machines. */
function selectorsOf(list: unknown): DraftProps[] | undefined {
  return itemsOf(
    itemsOf(list)
      ?.filter(isRecord)
      .filter((entry, index) => !isForAll(entry, index))
      .map(({ machineLabelSelector, config }) => ({
        machines: selectorLabels(machineLabelSelector),
        config: fieldsOf(config) as DraftProps,
      })),
  );
}

/** Whether an entry of `machineSelectorConfig` is that of all machines. */
export function isForAll({ machineLabelSelector }: Fields, index: number): boolean {
  return index === 0 && (machineLabelSelector === undefined || machineLabelSelector === null);
}

/** A selector of machines, as a program writes it. */
export function selectorLabels(selector: unknown): DraftProps | undefined {
  if (!isRecord(selector)) {
    return undefined;
  }
  return {
    matchLabels: textMapOf(selector.matchLabels),
    matchExpressions: itemsOf(selector.matchExpressions)
      ?.filter(isRecord)
      .map(({ key, operator, values }) => ({
        key: key as string,
        operator: enumValue('LabelOperator', operator),
        values: itemsOf(values),
      })),
  };
}

function operationsOf(spec: Fields, config: Fields): DraftProps | undefined {
  const generation = (value: unknown): DraftValue => fieldsOf(value).generation as DraftValue;
  const { rotateCertificates, etcdSnapshotRestore: restore } = config;
  return filledFields({
    rotateCertificates: isRecord(rotateCertificates)
      ? {
          generation: generation(rotateCertificates),
          services: itemsOf(rotateCertificates.services)?.map((service) =>
            call('CertificateService', 'of', String(service)),
          ),
        }
      : undefined,
    rotateEncryptionKeys: generation(config.rotateEncryptionKeys),
    createSnapshot: generation(config.etcdSnapshotCreate),
    restoreSnapshot: isRecord(restore)
      ? {
          generation: generation(restore),
          name: restore.name as string,
          mode: enumValue('RestoreMode', unless(restore.restoreRKEConfig as string, 'none')),
        }
      : undefined,
    provision: config.provisionGeneration as DraftValue,
    redeploySystemAgent: spec.redeploySystemAgentGeneration as DraftValue,
  });
}

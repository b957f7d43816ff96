import { parse } from 'yaml';
import { Manifest, isRecord } from '../../../src/core/manifest/manifest';
import { RecordedMachine } from '../../support/machine-recordings';

/** Of what a server has stored, what differs at every call. */
const STORED = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

/** @see harvester/harvester:pkg/util/constants.go AnnotationVolumeClaimTemplates */
const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';

/** The end of the name of a claim. @see harvester/harvester:pkg/builder/disk.go PVCVolume */
const CLAIM_SUFFIX = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Where rancher-machine writes Rancher's script. @see rancher/machine:commands/create.go writeCloudConfig */
const SCRIPT = '/usr/local/custom_script/install.sh';

/** The key that the driver makes for each machine. */
const OWN_KEY = /^ssh-rsa /;

/** What the driver made, without what differs at every call. */
export function normalMachine(
  vm: Manifest,
  secret: Manifest | undefined,
): Pick<RecordedMachine, 'virtualMachine' | 'userData' | 'networkData'> {
  const { [CLAIMS]: claims, ...annotations } = vm.metadata.annotations as Record<string, string>;
  const metadata = Object.fromEntries(
    Object.entries({ ...vm.metadata, annotations }).filter(([field]) => !STORED.includes(field)),
  );
  const { status: _status, ...object } = vm;
  const data = (secret?.data ?? {}) as Record<string, string>;
  const text = (key: string): string | undefined =>
    data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString('utf8');
  const networkData = text('networkdata');
  return {
    virtualMachine: {
      ...withoutSuffixes(object),
      metadata,
      claims: withoutSuffixes(JSON.parse(claims)),
    } as RecordedMachine['virtualMachine'],
    userData: withoutSecrets(parse(text('userdata') ?? '')) as RecordedMachine['userData'],
    ...(networkData === undefined ? {} : { networkData }),
  };
}

/** The names of claims without what is random, and without what is empty by Go's habit. */
function withoutSuffixes<T>(value: T, key = ''): T {
  if (typeof value === 'string') {
    return (
      ['name', 'claimName'].includes(key) ? value.replace(CLAIM_SUFFIX, '-xxxxx') : value
    ) as T;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withoutSuffixes(item)) as T;
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => name !== 'creationTimestamp' || item !== null)
      .map(([name, item]) => [name, withoutSuffixes(item, name)]),
  ) as T;
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') {
    return OWN_KEY.test(value) ? '(key of the driver)' : value;
  }
  if (Array.isArray(value)) {
    return value.map(withoutSecrets);
  }
  if (!isRecord(value)) {
    return value;
  }
  if (value.path === SCRIPT) {
    return { ...value, content: "(Rancher's script)" };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]),
  );
}

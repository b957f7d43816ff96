import { textsOf } from './kubernetes.check';
import { distributionOf } from './rke2.data';
import { parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { nodeConfigsOf } from '../cluster/cluster-reader.check';
import { CONFIG_KEY } from '../cluster/cluster.kind';

/** The form of the values of a key. */
interface Format {
  readonly key: string;
  readonly distribution?: 'rke2';
  readonly isValid: (texts: readonly string[]) => boolean;
  readonly message: string;
  readonly fix: string;
  readonly level?: 'warning';
  readonly says?: string;
}

const HOST = /^[a-z0-9*]([-a-z0-9.*]*[a-z0-9])?$/i;
const PLUGINS = ['none', 'calico', 'canal', 'cilium', 'flannel'];

const FORMATS: readonly Format[] = [
  {
    key: 'tls-san',
    isValid: (texts) => texts.every((text) => HOST.test(text) || parseIp(text) !== undefined),
    message: 'must be host names and IP addresses: certificates hold no others',
    fix: 'write e.g. shop.example.com, without a scheme and a port',
    level: 'warning',
  },
  {
    key: 'system-default-registry',
    isValid: (texts) => texts.every((text) => !/:\/\/|\/$/.test(text)),
    message: 'must be a host with an optional port, not a URL',
    fix: 'write e.g. registry.example.com:5000',
    says: 'registries must be valid RFC 3986 URI authorities',
  },
  {
    key: 'cluster-domain',
    isValid: (texts) => texts.every((text) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text)),
    message: 'must be a DNS domain',
    fix: 'write e.g. cluster.local',
  },
  {
    key: CONFIG_KEY.CNI,
    distribution: 'rke2',
    isValid: (texts) => {
      const all = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
      const plugins = all[0] === 'multus' ? all.slice(1) : all;
      return plugins.length === 1 && PLUGINS.includes(plugins[0]!);
    },
    message: `must be one of ${PLUGINS.join(', ')}, after multus where pods have several networks: RKE2 does not start with others`,
    fix: 'use one of them; for another network plugin write none and install it',
    says: 'Invalid value for --cni flag',
  },
];

const FORMAT: Rule = {
  id: 'cluster/node-config-format',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: `${FORMATS.map(({ key }) => key).join(', ')} of machineGlobalConfig and machineSelectorConfig have values that RKE2 and K3s accept`,
  source: 'rancher/rke2:pkg/cli/cmds/server.go validateCNI, pkg/images/images.go; google/go-containerregistry:pkg/name/registry.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const runs = distributionOf(valueAt(manifest, 'spec', 'kubernetesVersion'));
    for (const { path, config } of runs === undefined ? [] : nodeConfigsOf(manifest)) {
      for (const { key, distribution = runs, isValid, ...problem } of FORMATS) {
        const value = config[key];
        const texts = textsOf(value);
        if (distribution !== runs || isLate(value) || texts.some(isLate) || texts.every((text) => text === '') || isValid(texts)) { continue; }
        yield { path: `${path}.${key}`, value, ...problem };
      }
    }
  },
};

/** Rules for the form of values that Rancher passes on to the nodes. */
export const NODE_CONFIG_FORMAT_RULES: readonly Rule[] = [FORMAT];

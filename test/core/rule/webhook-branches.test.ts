import { readFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { ALL_RULES } from '../../../src/registry/all-rules';

/** A refusal of a validator, and what reports it. */
interface Branch {
  /** The function. */
  readonly in: string;
  /** The words of the server, with placeholders. */
  readonly says: string;
  readonly rules?: readonly string[];
  readonly reason?: string;
}

/** A validator at a tag. */
interface Validator {
  readonly source: string;
  readonly tag: string;
  readonly branches: readonly Branch[];
}

const { reasons, validators } = parse(
  readFileSync(join(__dirname, 'webhook-branches.yaml'), 'utf8'),
) as {
  readonly reasons: { readonly [name: string]: string };
  readonly validators: readonly Validator[];
};

const RULES = new Map(ALL_RULES.map((rule) => [rule.id, rule]));
const branches = validators.flatMap(({ source, branches: own }) =>
  own.map((branch) => ({ ...branch, place: `${source} ${branch.in}: ${branch.says}` })),
);

/**
 * Rules about refusals whose words the validator does not contain: it passes on those of another
 * function, or they are warnings about what it lets pass.
 */
const COMPOSED: ReadonlySet<string> = new Set([
  'cluster/name',
  'cluster/creator-replaced',
  'cluster/machine-pools',
  'cluster/auth-endpoint',
  'machine-config/creator',
  'management-cluster/workspace-emptied',
  'rancher-setting/registration-token-grace',
  'node-driver/in-use',
  'harvester-setting/rwx-ranges-locked',
  'harvester-setting/snapshot-class',
  'harvester-setting/additional-guest-memory-overhead-ratio',
  'harvester-setting/containerd-registry',
  'harvester-setting/http-proxy',
  'harvester-setting/rancher-cluster',
  'harvester-setting/traefik-default-tls-options',
  'harvester-setting/vm-force-reset-policy',
  'harvester-setting/vm-migration-network',
  'harvester-setting/volume-snapshot-class',
  'cluster-network/name',
  'vlan-config/nodes',
  'network-attachment/cluster-network',
  'host-network/twice',
  'encryption-secret/plain',
  'global-role/built-in-changed',
  'global-role-binding/duplicate',
  'volume/update',
  'virtual-machine/reserved-class',
  'image/reserved-class',
  'vm-backup/source',
]);

test('has the validators of all webhooks, each at one tag', () => {
  const repositories = validators.map(({ source, tag }) => `${source.split(':')[0]} ${tag}`);
  expect([...new Set(repositories)]).toEqual([
    'harvester/harvester v1.9.0-rc6',
    'harvester/network-controller-harvester v1.9.0-rc6',
    'harvester/load-balancer-harvester v1.9.0-rc4',
    'harvester/pcidevices v1.8.1',
    'rancher/webhook v0.11.0',
  ]);
  expect(new Set(validators.map(({ source }) => source)).size).toBe(validators.length);
});

test('each branch has rules that exist, or one of the reasons', () => {
  const isJudged = ({ rules = [], reason }: Branch): boolean =>
    reason === undefined
      ? rules.length > 0 && rules.every((id) => RULES.has(id))
      : rules.length === 0 && reason in reasons;
  expect(branches.filter((branch) => !isJudged(branch)).map(({ place }) => place)).toEqual([]);
  expect(
    Object.keys(reasons).filter((name) => !branches.some(({ reason }) => reason === name)),
  ).toEqual([]);
});

/** What to do about a rule. */
const UNLISTED =
  ': add what it judges to webhook-branches.yaml, or the rule to COMPOSED if words of others judge it';

test('each rule whose source is a validator serves one of its branches', () => {
  const served = new Set(branches.flatMap(({ rules = [] }) => rules));
  const named = validators.map(({ source }) => source.split(':')[1]!);
  const without = ALL_RULES.filter(
    ({ id, source }) => !served.has(id) && named.some((file) => source.includes(file)),
  ).map(({ id }) => id);
  expect(without.filter((id) => !COMPOSED.has(id)).map((id) => `${id}${UNLISTED}`)).toEqual([]);
  expect([...COMPOSED].filter((id) => !without.includes(id))).toEqual([]);
});

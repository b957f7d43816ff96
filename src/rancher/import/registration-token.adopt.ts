import {
  DEFAULT_TOKEN,
  SYSTEM_TOKEN,
  TOKEN_SECRET_KEY,
  TOKEN_SECRET_PREFIX,
} from './registration-token.kind';
import {
  FoundObject,
  StaticCall,
  call,
  optional,
  Inverse,
  Surroundings,
  numberAt,
  textAt,
  unless,
} from '../../core/draft/draft';
import { Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { referToCluster } from '../../guest/provisioning-cluster.adopt';

const TOKEN = `${GROUPS.MANAGEMENT}/ClusterRegistrationToken`;

/** The name of a token that the program declares, unless it gives another one. */
const DEFAULT_NAME = 'gitops';

/** From a ClusterRegistrationToken that no import declares to the construct. */
export const REGISTRATION_TOKEN_INVERSE: Inverse = {
  kinds: [TOKEN],
  drafts: (object) => {
    const { manifest, target } = object;
    const cluster = textAt(manifest, 'spec', 'clusterName');
    if (cluster === undefined) {
      return [];
    }
    const props = { cluster: referToCluster(target, cluster), source: declared(manifest) };
    return {
      type: 'RegistrationToken',
      id: manifest.metadata.name,
      isNamedById: false,
      props,
      declares: [object],
    };
  },
};

function isOfRancher(name: string): boolean {
  return name === DEFAULT_TOKEN || name === SYSTEM_TOKEN;
}

function declared(manifest: Manifest): StaticCall {
  const lifetime = {
    ttl: minutes(numberAt(manifest, 'spec', 'ttl')),
    gracePeriod: minutes(numberAt(manifest, 'spec', 'gracePeriod')),
  };
  return call(
    'TokenSource',
    'declared',
    ...optional({ name: unless(manifest.metadata.name, DEFAULT_NAME), ...lifetime }),
  );
}

function minutes(value: number | undefined): StaticCall | undefined {
  return value === undefined ? undefined : call('Duration', 'minutes', value);
}

/**
 * The source of the token of an import: that of its registration, otherwise the only one that
 * someone made.
 *
 * @param token the token of the registration, a secret
 */
export function tokenOf(
  target: string,
  clusterId: string,
  token: string | undefined,
  around: Surroundings,
) {
  const isHere = ({ manifest }: FoundObject): boolean => manifest.metadata.namespace === clusterId;
  const tokens = around
    .objects(target, TOKEN)
    .filter(isHere)
    .filter(({ manifest }) => !isOfRancher(manifest.metadata.name));
  const names = tokens.map(({ manifest }) => manifest.metadata.name);
  const secrets = around
    .cluster(target)
    .objects.filter(
      (each) =>
        each.manifest.kind === 'Secret' && isHere(each) && isTokenSecret(each.manifest, names),
    );
  const of = ({ manifest }: FoundObject): unknown =>
    textAt(manifest, 'status', 'token') ??
    Buffer.from(textAt(manifest, 'data', TOKEN_SECRET_KEY) ?? '', 'base64').toString('utf8');
  const all = [...tokens, ...secrets];
  const used =
    all.find((each) => token !== undefined && of(each) === token) ??
    (all.length === 1 ? all[0] : undefined);
  if (!used) {
    return {};
  }
  if (tokens.includes(used)) {
    return { token: declared(used.manifest), declares: [used] };
  }
  const name = used.manifest.metadata.name.slice(TOKEN_SECRET_PREFIX.length);
  return {
    token: call('TokenSource', 'secret', ...optional({ name: unless(name, DEFAULT_NAME) })),
  };
}

/**
 * A Secret that someone else than Rancher wrote: Rancher writes one for each
 * ClusterRegistrationToken.
 */
function isTokenSecret({ metadata }: Manifest, tokens: readonly string[]): boolean {
  const { name } = metadata;
  const token = name.slice(TOKEN_SECRET_PREFIX.length);
  return name.startsWith(TOKEN_SECRET_PREFIX) && !isOfRancher(token) && !tokens.includes(token);
}

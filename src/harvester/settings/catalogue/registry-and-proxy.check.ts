import { CONTROLLERS, SettingCheck, SettingContext, SettingEntry, VALIDATOR, isWebAddress, jsonCheck, syncer, warn } from './entry';
import { contains, parseCidr, parseIp } from '../../../core/go/go-ip';
import { BOOL, GoType, STRING, map, pointer, slice, struct, unmarshal } from '../../../core/go/go-json-decode';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

/** Registries. @see harvester/harvester:pkg/containerd/registry.go Registry */
export interface RegistryConfigs {
  readonly Mirrors?: ReadonlyMap<string, { readonly Endpoints?: readonly string[]; readonly Rewrites?: ReadonlyMap<string, string> }>;
  readonly Configs?: ReadonlyMap<string, { readonly Auth?: RegistryCredentials; readonly TLS?: unknown }>;
  readonly Auths?: ReadonlyMap<string, RegistryCredentials>;
}

export interface RegistryCredentials {
  readonly Username: string;
  readonly Password: string;
  readonly Auth: string;
  readonly IdentityToken: string;
}

const AUTH: GoType = struct('containerd.AuthConfig', { Username: STRING, Password: STRING, Auth: STRING, IdentityToken: STRING });
const REGISTRY = struct('containerd.Registry', {
  Mirrors: map(struct('containerd.Mirror', { Endpoints: slice(STRING), Rewrites: map(STRING) })),
  Configs: map(struct('containerd.RegistryConfig', {
    Auth: pointer(AUTH), TLS: pointer(struct('containerd.TLSConfig', { CAFile: STRING, CertFile: STRING, KeyFile: STRING, InsecureSkipVerify: BOOL })),
  })),
  Auths: map(AUTH),
});
const REGISTRY_FORMAT = '{"Mirrors":{"docker.io":{"Endpoints":["https://<registry>"],"Rewrites":null}},"Configs":{"<registry>":{"Auth":{"Username":"<user>",'
  + '"Password":"<password>"},"TLS":{"InsecureSkipVerify":false}}}}';

// names of the same fields in registries.yaml, which everybody copies from and which JSON does not match
const YAML_NAMES: { readonly [name: string]: string } = {
  endpoint: 'Endpoints',
  rewrite: 'Rewrites',
  identity_token: 'IdentityToken',
  identitytoken: 'IdentityToken',
  ca_file: 'CAFile',
  cert_file: 'CertFile',
  key_file: 'KeyFile',
  insecure_skip_verify: 'InsecureSkipVerify',
};

/** What a value of containerd-registry says; undefined where it can not be read. */
export function registriesOf(value: string): RegistryConfigs | undefined {
  const result = unmarshal<RegistryConfigs>(value, REGISTRY);
  return 'error' in result ? undefined : result.config;
}

/** The credentials in registries, by their path in the value. */
export function credentialsOf(registries: RegistryConfigs | undefined): ReadonlyMap<string, RegistryCredentials> {
  const found = new Map<string, RegistryCredentials>();
  for (const [name, { Auth }] of registries?.Configs ?? []) {
    if (Auth) { found.set(`value.Configs.${name}.Auth`, Auth); }
  }
  for (const [name, auth] of registries?.Auths ?? []) { found.set(`value.Auths.${name}`, auth); }
  return found;
}

const readRegistries: SettingCheck = jsonCheck<RegistryConfigs>({ format: REGISTRY_FORMAT, type: REGISTRY, secret: true, judge: checkEndpoints });

function checkRegistries(value: string, context: SettingContext): Problem[] {
  return readRegistries(value, context).map((problem) => {
    const name = problem.path.slice(problem.path.lastIndexOf('.') + 1);
    const field = Object.prototype.hasOwnProperty.call(YAML_NAMES, name) ? YAML_NAMES[name] : undefined;
    return field === undefined || problem.level !== 'warning' ? problem : {
      path: problem.path, message: `is the name of registries.yaml, which Harvester ignores here: the field is called ${field}`, fix: `write ${field}`,
    };
  });
}

function checkEndpoints({ Mirrors }: RegistryConfigs): Problem[] {
  return [...Mirrors ?? []].flatMap(([name, mirror]) => (mirror.Endpoints ?? []).flatMap((endpoint, index) => (
    isLate(endpoint) || isWebAddress(endpoint) ? [] : [warn({
      path: `value.Mirrors.${name}.Endpoints[${index}]`, message: 'is no URL of a registry', fix: 'give a URL that starts with https:// or http://',
    })])));
}

/** Proxies. @see harvester/harvester:pkg/util/http.go HTTPProxyConfig */
export interface ProxyConfig {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

const PROXY_FORMAT = '{"httpProxy":"http://<proxy>:3128","httpsProxy":"http://<proxy>:3128","noProxy":"<CIDR of the nodes>,<host of Rancher>"}';
const PROXY = struct('util.HTTPProxyConfig', { httpProxy: STRING, httpsProxy: STRING, noProxy: STRING });

/** What Harvester adds to every noProxy. @see harvester/harvester:pkg/util/constants.go, AddBuiltInNoProxy */
export const BUILT_IN_NO_PROXY = [
  'localhost', '127.0.0.1', '0.0.0.0', '10.0.0.0/8', 'longhorn-system', 'cattle-system', 'cattle-system.svc', 'harvester-system', '.svc', '.cluster.local',
];

/** What a value of http-proxy says; undefined where it can not be read. */
export function proxyOf(value: string): ProxyConfig | undefined {
  const result = unmarshal<ProxyConfig>(value, PROXY);
  return 'error' in result ? undefined : result.config;
}

/** Whether a proxy is set at all. */
export function usesProxy({ httpProxy, httpsProxy }: ProxyConfig): boolean {
  return httpProxy !== '' || httpsProxy !== '';
}

/** The parts of a noProxy that Harvester looks for addresses of nodes in, singly or as a network. */
export function coversAddress(noProxy: string, address: string): boolean {
  const ip = parseIp(address);
  return ip === undefined || noProxyParts(noProxy).some((part) => {
    const cidr = parseCidr(part);
    return cidr ? contains(cidr, ip) : parseIp(part)?.bits === ip.bits;
  });
}

/**
 * Whether a host is reached without the proxy, as Go's http client decides it, with what Harvester adds.
 *
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function bypassesProxy(noProxy: string, host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const ip = parseIp(name);
  return [...noProxyParts(noProxy), ...BUILT_IN_NO_PROXY].some((entry) => {
    const part = entry.toLowerCase().replace(/:[0-9]+$/, '');
    if (part === '*') { return true; }
    const cidr = parseCidr(entry);
    if (cidr) { return ip !== undefined && contains(cidr, ip); }
    if (ip) { return parseIp(entry)?.bits === ip.bits; }
    const suffix = part.replace(/^\*?\./, '');
    return suffix !== '' && (name.endsWith(`.${suffix}`) || (!part.startsWith('.') && !part.startsWith('*.') && name === suffix));
  });
}

function noProxyParts(noProxy: string): string[] {
  return noProxy.split(',').map((part) => part.trim());
}

function checkProxy(config: ProxyConfig): Problem[] {
  const urls = (['httpProxy', 'httpsProxy'] as const).flatMap((key): Problem[] => (config[key] === '' || isLate(config[key]) || isWebAddress(config[key]) ? [] : [warn({
    path: `value.${key}`, message: 'is no URL of a proxy', fix: 'give a URL that starts with http:// or https://, with the port',
  })]));
  if (isLate(config.noProxy)) { return urls; }
  const spaces: Problem[] = /\s/.test(config.noProxy) ? [warn({
    path: 'value.noProxy', message: 'holds white space, which not every program that reads NO_PROXY skips', fix: 'separate the entries by commas alone',
  })] : [];
  const parts = noProxyParts(config.noProxy);
  const addresses = parts.some((part) => parseCidr(part) ?? parseIp(part));
  const nodes: Problem[] = usesProxy(config) && !addresses ? [warn({
    path: 'value.noProxy',
    message: 'names no address and no network, so it covers no node, which the server refuses on a cluster that has nodes',
    fix: 'add the network of the nodes in CIDR form',
    says: 'noProxy should contain the node\'s IP addresses or CIDR. The node(s) ... are not covered.',
  })] : [];
  return [...urls, ...spaces, ...nodes];
}

export const REGISTRY_AND_PROXY_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.CONTAINERD_REGISTRY,
    what: 'the registries that all nodes pull images from, with Go\'s names of the fields, not those of registries.yaml',
    format: REGISTRY_FORMAT,
    default: '',
    secret: true,
    judgesLate: true,
    judgesDefault: 'always',
    level: 'error',
    controller: syncer(),
    source: `${VALIDATOR}, pkg/containerd/registry.go, ${CONTROLLERS}/containerd_registry.go`,
    check: checkRegistries,
  },
  {
    name: SETTING.HTTP_PROXY,
    what: 'the proxy that Harvester and its nodes reach the outside by',
    format: PROXY_FORMAT,
    default: '{}',
    secret: true,
    judgesLate: true,
    judgesDefault: 'always',
    level: 'error',
    controller: syncer({ value: '{}', until: '1.5.0' }),
    source: `${VALIDATOR} validateNoProxy; seen on Harvester 1.7.2`,
    check: jsonCheck<ProxyConfig>({ format: PROXY_FORMAT, type: PROXY, secret: true, judge: checkProxy }),
  },
];

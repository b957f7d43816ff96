import { DraftProps } from '../../../core/draft/draft';
import { contains, parseCidr, parseIp } from '../../../core/go/go-ip';
import {
  BOOL,
  GoType,
  STRING,
  map,
  marshal,
  pointer,
  slice,
  goStruct,
  unmarshal,
} from '../../../core/go/go-json';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/problem/problem';
import { problemsAt } from '../../../core/rule/findings';
import { isWebAddress } from '../../../core/text/web-address';
import { RegistryAuthConfig } from '../../../guest/registries/registry-auth-config';
import { RegistryMirror } from '../../../guest/registries/registry-mirror';
import {
  SETTING_CONTROLLERS,
  SettingCheck,
  VALIDATOR,
  decoded,
  isPlainText,
  json,
  settingEntry,
  syncer,
  warn,
} from '../entry/setting-entry.check';

/**
 * The registries that all nodes of a Harvester pull images from.
 * @see https://docs.rke2.io/install/private_registry
 */
export interface ContainerdRegistryProps {
  /**
   * Mirrors by registry, e.g. `docker.io`. `*` is every registry without an entry.
   * @default - images are pulled from their own registry
   */
  readonly mirrors?: { [registry: string]: RegistryMirror };
  /**
   * Connection settings by host and port, e.g. `registry.example.com:5000`.
   * @default - anonymous, with public certificate authorities
   */
  readonly configs?: { [host: string]: ContainerdRegistryConfig };
}

/** How nodes connect to a registry. */
export interface ContainerdRegistryConfig {
  /**
   * The credentials. Harvester accepts new ones only where mirrors change as well: reset the
   * setting first.
   * @default - anonymous
   */
  readonly auth?: RegistryAuthConfig;
  /** TLS of the connection. @default - public certificate authorities */
  readonly tls?: ContainerdTls;
}

/** TLS of the connection to a registry, with files on the nodes. */
export interface ContainerdTls {
  /**
   * A file on the nodes with the certificates of certificate authorities, PEM text.
   * @default - the certificate authorities of the node
   */
  readonly caFile?: string;
  /** A file on the nodes with the client certificate, PEM text. @default - no client certificate */
  readonly certFile?: string;
  /**
   * A file on the nodes with the private key of the client certificate, PEM text.
   * @default - no client certificate
   */
  readonly keyFile?: string;
  /** Whether nodes skip the verification of the registry's certificate. @default false */
  readonly insecureSkipTlsVerify?: boolean;
}

/** The proxy between Harvester and other networks. */
export interface HttpProxyProps {
  /**
   * URL with port of the proxy for http, e.g. `http://proxy.example.com:3128`.
   * @default - no proxy for http
   */
  readonly httpProxy?: string;
  /** URL with port of the proxy for https. @default - no proxy for https */
  readonly httpsProxy?: string;
  /**
   * Hosts, addresses, and networks without proxy: the network of the nodes in CIDR form and the
   * host of Rancher. Harvester adds its own.
   */
  readonly noProxy: string[];
}

/** Registries. @see harvester/harvester:pkg/containerd/registry.go Registry */
interface RegistryConfigs {
  readonly Mirrors?: ReadonlyMap<
    string,
    { readonly Endpoints?: readonly string[]; readonly Rewrites?: ReadonlyMap<string, string> }
  >;
  readonly Configs?: ReadonlyMap<
    string,
    { readonly Auth?: RegistryCredentials; readonly TLS?: RegistryTls }
  >;
  readonly Auths?: ReadonlyMap<string, RegistryCredentials>;
}

interface RegistryTls {
  readonly CAFile: string;
  readonly CertFile: string;
  readonly KeyFile: string;
  readonly InsecureSkipVerify: boolean;
}

interface RegistryCredentials {
  readonly Username: string;
  readonly Password: string;
  readonly Auth: string;
  readonly IdentityToken: string;
}

const AUTH: GoType = goStruct({
  Username: STRING,
  Password: STRING,
  Auth: STRING,
  IdentityToken: STRING,
});
const REGISTRY = goStruct({
  Mirrors: map(goStruct({ Endpoints: slice(STRING), Rewrites: map(STRING) })),
  Configs: map(
    goStruct({
      Auth: pointer(AUTH),
      TLS: pointer(
        goStruct({ CAFile: STRING, CertFile: STRING, KeyFile: STRING, InsecureSkipVerify: BOOL }),
      ),
    }),
  ),
  Auths: map(AUTH),
});
const REGISTRY_FORMAT =
  '{"Mirrors":{"docker.io":{"Endpoints":["https://<registry>"],"Rewrites":null}},"Configs":{"<registry>":{"Auth":{"Username":"<user>",' +
  '"Password":"<password>"},"TLS":{"InsecureSkipVerify":false}}}}';

// names of the same fields in registries.yaml, which people copy from and JSON does not match
const YAML_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    endpoint: 'Endpoints',
    rewrite: 'Rewrites',
    identity_token: 'IdentityToken',
    identitytoken: 'IdentityToken',
    ca_file: 'CAFile',
    cert_file: 'CertFile',
    key_file: 'KeyFile',
    insecure_skip_verify: 'InsecureSkipVerify',
  }),
);

/** A value of containerd-registry; undefined where it cannot be read. */
export function registriesOf(value: string): RegistryConfigs | undefined {
  return decoded(unmarshal<RegistryConfigs>(value, REGISTRY));
}

/** The credentials of registries, by their path in the value. */
export function registryCredentialsOf(
  registries: RegistryConfigs | undefined,
): ReadonlyMap<string, RegistryCredentials> {
  const found = new Map<string, RegistryCredentials>();
  for (const [name, { Auth }] of registries?.Configs ?? []) {
    if (Auth) {
      found.set(`value.Configs.${name}.Auth`, Auth);
    }
  }
  for (const [name, auth] of registries?.Auths ?? []) {
    found.set(`value.Auths.${name}`, auth);
  }
  return found;
}

const readRegistries: SettingCheck = json<RegistryConfigs>({
  type: REGISTRY,
  judge: checkEndpoints,
});

const checkRegistries: SettingCheck = Object.assign(
  (...of: Parameters<SettingCheck>) =>
    [...problemsAt('value', readRegistries(...of))].map((problem) => {
      const field = YAML_NAMES.get(problem.path.slice(problem.path.lastIndexOf('.') + 1));
      return field === undefined || problem.level !== 'warning'
        ? problem
        : {
            path: problem.path,
            message: `cannot have an effect: it is the name in registries.yaml, and Harvester calls this field ${field}`,
            fix: `write ${field}`,
          };
    }),
  { reads: readRegistries.reads },
);

function checkEndpoints({ Mirrors }: RegistryConfigs): Problem[] {
  return [...(Mirrors ?? [])].flatMap(([name, mirror]) =>
    (mirror.Endpoints ?? []).flatMap((endpoint, index) =>
      isLate(endpoint) || isWebAddress(endpoint)
        ? []
        : [
            warn({
              path: `value.Mirrors.${name}.Endpoints[${index}]`,
              message: 'must be the URL of a registry',
              fix: 'give a URL that starts with https:// or http://',
            }),
          ],
    ),
  );
}

function printRegistries({ mirrors = {}, configs = {} }: ContainerdRegistryProps): {
  readonly [key: string]: unknown;
} {
  return {
    Mirrors: mapped(mirrors, ({ endpoints, rewrites }) => ({
      Endpoints: endpoints,
      Rewrites: rewrites ? mapped(rewrites, (text) => text) : null,
    })),
    Configs: mapped(configs, ({ auth, tls }) => ({
      Auth: auth && {
        Username: auth.username ?? '',
        Password: auth.password?._unwrap() ?? '',
        Auth: auth.auth?._unwrap() ?? '',
        IdentityToken: auth.identityToken?._unwrap() ?? '',
      },
      TLS: tls && {
        CAFile: tls.caFile ?? '',
        CertFile: tls.certFile ?? '',
        KeyFile: tls.keyFile ?? '',
        InsecureSkipVerify: tls.insecureSkipTlsVerify ?? false,
      },
    })),
    Auths: null,
  };
}

/**
 * The props of registries without credentials; undefined for a value with fields that no prop has.
 */
function readRegistryProps(text: string): DraftProps | undefined {
  const result = unmarshal<RegistryConfigs>(text, REGISTRY);
  if ('faults' in result || result.unknown.length > 0 || result.config.Auths) {
    return undefined;
  }
  const { Mirrors, Configs } = result.config;
  return {
    mirrors:
      Mirrors &&
      mapped(Object.fromEntries(Mirrors), ({ Endpoints, Rewrites }) => ({
        endpoints: Endpoints ?? [],
        rewrites: Rewrites && Object.fromEntries(Rewrites),
      })),
    configs:
      Configs &&
      mapped(Object.fromEntries(Configs), ({ Auth, TLS }) => ({
        auth: Auth && { username: Auth.Username || undefined },
        tls: TLS && {
          caFile: TLS.CAFile || undefined,
          certFile: TLS.CertFile || undefined,
          keyFile: TLS.KeyFile || undefined,
          insecureSkipTlsVerify: TLS.InsecureSkipVerify || undefined,
        },
      })),
  };
}

// sorted, as Go writes maps: Harvester rewrites the value, and its result should differ as little
// as possible
function mapped<T, R>(
  entries: { readonly [key: string]: T },
  how: (value: T) => R,
): { readonly [key: string]: R } {
  return Object.fromEntries(
    Object.entries(entries)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, how(value)]),
  );
}

/** Proxies. @see harvester/harvester:pkg/util/http.go HTTPProxyConfig */
interface ProxyConfig {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

const PROXY = goStruct({ httpProxy: STRING, httpsProxy: STRING, noProxy: STRING });
const PROXY_KEYS = ['httpProxy', 'httpsProxy'] as const;

/**
 * The entries that Harvester adds to every noProxy.
 * @see harvester/harvester:pkg/util/constants.go, AddBuiltInNoProxy
 */
const BUILT_IN_NO_PROXY = [
  'localhost',
  '127.0.0.1',
  '0.0.0.0',
  '10.0.0.0/8',
  'longhorn-system',
  'cattle-system',
  'cattle-system.svc',
  'harvester-system',
  '.svc',
  '.cluster.local',
];

/** A value of http-proxy; undefined where it cannot be read. */
export function proxyOf(value: string): ProxyConfig | undefined {
  return decoded(unmarshal<ProxyConfig>(value, PROXY));
}

/** Whether a proxy is set. */
export function usesProxy({ httpProxy, httpsProxy }: ProxyConfig): boolean {
  return httpProxy !== '' || httpsProxy !== '';
}

/** Whether a noProxy contains the address of a node, by itself or by a network. */
export function coversAddress(noProxy: string, address: string): boolean {
  const ip = parseIp(address);
  return (
    ip === undefined ||
    noProxyParts(noProxy).some((part) => {
      const cidr = parseCidr(part);
      return cidr ? contains(cidr, ip) : parseIp(part)?.bits === ip.bits;
    })
  );
}

/**
 * Whether a host is reached without the proxy, as Go's HTTP client decides it, with the entries
 * that Harvester adds.
 *
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function bypassesProxy(noProxy: string, host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const ip = parseIp(name);
  return [...noProxyParts(noProxy), ...BUILT_IN_NO_PROXY].some((entry) => {
    const part = entry.toLowerCase().replace(/:[0-9]+$/, '');
    if (part === '*') {
      return true;
    }
    const cidr = parseCidr(entry);
    if (cidr) {
      return ip !== undefined && contains(cidr, ip);
    }
    if (ip) {
      return parseIp(entry)?.bits === ip.bits;
    }
    const suffix = part.replace(/^\*?\./, '');
    return (
      suffix !== '' &&
      (name.endsWith(`.${suffix}`) ||
        (!part.startsWith('.') && !part.startsWith('*.') && name === suffix))
    );
  });
}

function noProxyParts(noProxy: string): string[] {
  return noProxy.split(',').map((part) => part.trim());
}

function checkProxy(config: ProxyConfig): Problem[] {
  const urls = PROXY_KEYS.filter(
    (key) => config[key] !== '' && !isLate(config[key]) && !isWebAddress(config[key]),
  ).map((key) =>
    warn({
      path: `value.${key}`,
      message: 'must be the URL of a proxy',
      fix: 'give a URL that starts with http:// or https://, with the port',
    }),
  );
  if (isLate(config.noProxy)) {
    return urls;
  }
  const spaces: Problem[] = /\s/.test(config.noProxy)
    ? [
        warn({
          path: 'value.noProxy',
          message: 'must be separated by commas alone: not every program skips the white space',
          fix: 'remove the white space',
        }),
      ]
    : [];
  const addresses = noProxyParts(config.noProxy).some((part) => parseCidr(part) ?? parseIp(part));
  const nodes: Problem[] =
    usesProxy(config) && !addresses
      ? [
          warn({
            path: 'value.noProxy',
            message: 'must contain the addresses of all nodes, and has no address',
            fix: 'add the network of the nodes in CIDR form',
            says: "noProxy should contain the node's IP addresses or CIDR. The node(s) ... are not covered.",
          }),
        ]
      : [];
  return [...urls, ...spaces, ...nodes];
}

/**
 * Go reads an address without a scheme, too.
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy
 */
const CREDENTIALS_IN_URL = /^([a-z]+:\/\/)?[^/?#]*:[^/?#]*@/i;

/** The settings of Harvester's connections. */
export const REGISTRY_AND_PROXY_FAMILY = {
  'containerd-registry': settingEntry<ContainerdRegistryProps>({
    what: "the registries that all nodes pull images from, with Go's field names, not those of registries.yaml",
    format: REGISTRY_FORMAT,
    secret: true,
    secretsIn: (value) =>
      [...registryCredentialsOf(registriesOf(value))]
        .filter(([, auth]) => [auth.Password, auth.Auth, auth.IdentityToken].some(isPlainText))
        .map(([path]) => [path, 'the password of a registry'] as const),
    rewritten: true,
    // the controller decodes and encodes it: CONTROLLERS/containerd_registry.go
    // removeCredentialInSetting
    storedAs: (value) => {
      const registries = registriesOf(value);
      return registries && marshal(registries, REGISTRY);
    },
    unordered: true,
    judgesLate: true,
    judgesDefault: 'always',
    print: printRegistries,
    adopt: readRegistryProps,
    controller: syncer(),
    source: `${VALIDATOR}, pkg/containerd/registry.go, ${SETTING_CONTROLLERS}/containerd_registry.go`,
    check: checkRegistries,
  }),
  'http-proxy': settingEntry<HttpProxyProps>({
    what: 'the proxy between Harvester and other networks',
    format:
      '{"httpProxy":"http://<proxy>:3128","httpsProxy":"http://<proxy>:3128","noProxy":"<CIDR of the nodes>,<host of Rancher>"}',
    default: '{}',
    secret: true,
    secretsIn: (value) => {
      const config = proxyOf(value);
      return PROXY_KEYS.filter(
        (key) => config && isPlainText(config[key]) && CREDENTIALS_IN_URL.test(config[key]),
      ).map((key) => [`value.${key}`, 'the password of the proxy'] as const);
    },
    judgesLate: true,
    judgesDefault: 'always',
    carriesGuests: true,
    print: ({ httpProxy, httpsProxy, noProxy }) => ({
      httpProxy: httpProxy ?? '',
      httpsProxy: httpsProxy ?? '',
      noProxy: noProxy.join(','),
    }),
    adopt: (text) => {
      const result = unmarshal<ProxyConfig>(text, PROXY);
      if ('faults' in result || result.unknown.length > 0) {
        return undefined;
      }
      const { httpProxy, httpsProxy, noProxy } = result.config;
      return {
        httpProxy: httpProxy || undefined,
        httpsProxy: httpsProxy || undefined,
        noProxy: noProxy.split(','),
      };
    },
    controller: syncer({ value: '{}', until: '1.5.0' }),
    source: `${VALIDATOR} validateNoProxy; seen on Harvester 1.7.2`,
    check: json<ProxyConfig>({ type: PROXY, judge: checkProxy }),
  }),
};

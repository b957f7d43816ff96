import { AgentTrouble } from './trouble';

/** What a line of an agent's log means. */
interface LogRow {
  readonly words: RegExp;
  readonly what: string;
  readonly fix: string;
}

/**
 * What agents write when they cannot reach Rancher, the most telling first.
 *
 * @see rancher/rancher:package/run.sh (`ERROR: <server>/ping is not accessible (<words of curl>)`, checksum), cmd/agent/main.go, pkg/agent/cluster/cluster.go;
 * golang/go:src/net/dnsclient.go, src/crypto/x509/verify.go
 */
const LOG: readonly LogRow[] = [
  {
    words: /CATTLE_CA_CHECKSUM is set but there is no CA certificate|Configured cacerts checksum .*does not match|does not match with CA certificate Issuer/i,
    what: 'the certificate authority of Rancher is not the one that the agent was given',
    fix: 'set cacerts of Rancher to the authority that signed its certificate, then fetch the registration URL again',
  },
  {
    words: /x509: |SSL certificate problem|unable to get local issuer certificate|certificate signed by unknown authority|certificate has expired/i,
    what: 'the agent does not trust the certificate of Rancher',
    fix: 'with agent-tls-mode strict, set cacerts of Rancher to the authority of its certificate; with system-store, set additional-ca of Harvester',
  },
  {
    words: /could not resolve (host|proxy)|no such host|server misbehaving|Temporary failure in name resolution/i,
    what: 'the agent cannot resolve the host of Rancher\'s server-url, or its proxy',
    fix: 'add the host to the DNS server that the nodes of this cluster use, or correct server-url',
  },
  {
    words: /proxyconnect|from proxy after CONNECT|Proxy Authentication Required|Proxy CONNECT aborted/i,
    what: 'the proxy does not let the agent through',
    fix: 'add the host of Rancher to noProxy of the setting http-proxy, or allow it in the proxy',
  },
  {
    words: /is not accessible|connection refused|connection timed out|i\/o timeout|no route to host|network is unreachable/i,
    what: 'the agent cannot reach Rancher\'s server-url',
    fix: 'open the way from the nodes of this cluster to Rancher (port 443), or correct server-url',
  },
  {
    words: /cluster not found|invalid token|websocket: bad handshake|401 Unauthorized/i,
    what: 'Rancher does not accept the token of the agent',
    fix: 'fetch the registration URL again: remove annotation harvesterhci.io/hash from the Setting cluster-registration-url',
  },
];

/** The last line of a log that says why an agent cannot connect; undefined where none does. */
export function troubleInLog(log: string): Pick<AgentTrouble, 'message' | 'fix'> | undefined {
  const lines = log.split('\n').reverse();
  for (const { words, what, fix } of LOG) {
    const line = lines.find((each) => words.test(each));
    if (line !== undefined) { return { message: `${what}: ${line.trim()}`, fix }; }
  }
  return undefined;
}

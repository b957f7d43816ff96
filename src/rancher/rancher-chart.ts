import { Construct } from 'constructs';
import { checkServerUrl } from './settings/setting-formats.check';
import { RancherVersion } from './version/rancher-version';
import { TargetChart, TargetChartProps } from '../core/app/target-chart';
import { IRancherTarget, TargetKind } from '../core/construct/target';
import { checkCertificates } from '../core/problem/certificates';
import {
  Problem,
  collectProblems,
  failOnErrors,
  parsed,
  requireLiteral,
} from '../core/problem/problem';
import '../guest/guest-chart';

// guest clusters lie in this chart and make charts of their own, without knowing the app

/** Properties of a Rancher target. */
export interface RancherChartProps extends TargetChartProps {
  /** Version of Rancher, with its patch number, e.g. `2.13.8`: what is written depends on it. */
  readonly version: string;
  /**
   * The URL that clusters and nodes reach Rancher by, e.g. `https://rancher.example.com`: https, no
   * path, no local address such as `127.0.0.1`. Rancher's setting `server-url`.
   */
  readonly serverUrl: string;
  /**
   * PEM bundle of the private certificate authority that signed Rancher's certificate. What
   * registers with Rancher gets it along.
   * @default - the certificate is signed by a public authority
   */
  readonly caCertificates?: string;
}

/**
 * The Rancher management cluster: all below goes to its Kubernetes API.
 *
 * @see https://ranchermanager.docs.rancher.com
 * @example
 * const staging = new RancherChart(app, 'staging', { version: '2.13.8', serverUrl: 'https://rancher-staging.example.com' });
 */
export class RancherChart extends TargetChart implements IRancherTarget {
  public readonly targetKind = TargetKind.RANCHER;
  public readonly version: string;
  public readonly serverUrl: string;
  public readonly caCertificates?: string;

  constructor(scope: Construct, id: string, props: RancherChartProps) {
    super(scope, id, props);
    requireLiteral(this, 'serverUrl', props.serverUrl);
    // also what Rancher itself would take: registration URLs are made from it
    const problems = [
      ...checkServerUrl('serverUrl', props.serverUrl),
      ...checkReachable(props.serverUrl),
      ...checkCertificates('caCertificates', props.caCertificates),
    ];
    collectProblems(
      this,
      problems.map((problem) => ({ ...problem, level: 'error' as const })),
    );
    this.version = parsed(this, 'version', () => RancherVersion.parse(props.version).toString());
    failOnErrors(this);
    this.serverUrl = props.serverUrl.replace(/\/$/, '');
    this.caCertificates = props.caCertificates;
  }
}

/** Harvester clusters and nodes reach Rancher by this URL, and themselves by a local one. */
function checkReachable(url: string): Problem[] {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  if (/^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(host)) {
    return [
      {
        path: 'serverUrl',
        value: url,
        message: 'must not be a local address: Harvester clusters and nodes reach Rancher by it',
        fix: 'use the host name of Rancher, which they can resolve',
      },
    ];
  }
  return [];
}

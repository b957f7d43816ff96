/**
 * Where the parts of a cluster keep their data on the nodes. Absolute paths, none within another; never to be changed. Rancher 2.9.0 and later.
 */
export interface DataDirectories {
  /** The distribution. @default - /var/lib/rancher/rke2 or /var/lib/rancher/k3s */
  readonly k8sDistro?: string;
  /** What Rancher provisions with. @default - /var/lib/rancher/capr */
  readonly provisioning?: string;
  /** Rancher's agent on the nodes. @default - /var/lib/rancher/agent */
  readonly systemAgent?: string;
}

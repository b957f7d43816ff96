import { KubernetesDistribution } from './kubernetes-version';

/**
 * The Kubernetes minor lines that Rancher provisions, from the first Rancher of each row up to the next row.
 *
 * Read in Rancher's release metadata (minChannelServerVersion and maxChannelServerVersion of all releases) to 2.10, and in the issues by which
 * Rancher drops a minor line from then on: rancher/rancher#45882, #47591, #48628, #49679, #51253, #53764, #55306.
 *
 * @see rancher/kontainer-driver-metadata:channels-rke2.yaml, channels.yaml, branches release-v2.7 to dev-v2.10
 */
export const KUBERNETES_OF_RANCHER: readonly (readonly [rancher: string, first: number, last: number])[] = [
  ['2.8.0', 25, 27], ['2.8.3', 25, 28], ['2.9.0', 27, 30], ['2.10.0', 28, 31], ['2.11.0', 30, 32], ['2.12.0', 31, 33], ['2.13.0', 32, 34],
  ['2.14.0', 33, 35], ['2.15.0', 34, 36],
];

/** The last minor line of Rancher whose releases of Kubernetes were read. */
export const KUBERNETES_OF_RANCHER_READ_TO = '2.15';

/** The releases of a distribution on one day. */
interface Releases {
  /** The day or month in which they were read: later releases are unknown. */
  readonly readOn: string;
  readonly source: string;
  /** By minor line, all patch versions: `7-3` is v1.33.7+rke2r1 to r3, `8` is v1.33.8+rke2r1. Gaps are versions that were never released. */
  readonly lines: { readonly [minor: string]: string };
}

/** The releases of both distributions that Rancher can install: each needs an image rancher/system-agent-installer-<distribution>. */
export const KUBERNETES_RELEASES: Record<KubernetesDistribution, Releases> = {
  [KubernetesDistribution.RKE2]: {
    readOn: '2026-08-21',
    source: 'tags of rancher/rke2 and rancher/system-agent-installer-rke2',
    lines: {
      '1.24': '1-2 2 3 4 6 7 8 9-2 10 11 12 13 14 15 16 17',
      '1.25': '0 2 3 4 5-2 6 7 8 9 10 11 12 13 14 15-2 16-2',
      '1.26': '0-2 1 2 3 4 5 6 7 8 9 10-2 11 12 13 14 15',
      '1.27': '1 2 3 4 5 6 7-2 8 9 10 11 12 13 14 15 16-2',
      '1.28': '1 2 3-2 4 5 6 7 8 9 10 11 12 13 14 15',
      '1.29': '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15',
      '1.30': '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14-4',
      '1.31': '0 1-2 2 3 4 5 6 7 8 9 10 11 12 13 14-2',
      '1.32': '0 1 2 3 4 5 6 7 8 9 10 11-3 12 13-2',
      '1.33': '0 1 2 3 4 5 6 7-3 8 9 10-3 11 12-2 13-2',
      '1.34': '1 2 3-3 4 5 6-3 7 8-2 9 10',
      '1.35': '0-3 1 2 3-3 4 5-2 6 7',
      '1.36': '0 1-2 2 3',
    },
  },
  [KubernetesDistribution.K3S]: {
    readOn: '2026-05',
    // some first releases of a line have no tag there
    source: 'tags of rancher/system-agent-installer-k3s',
    lines: {
      '1.24': '0 1 2-2 3 4 6 7 8 9-2 10 11 12 13 14 15 16 17',
      '1.25': '0 2 3 4 5-2 6 7 8 9 10 11 12 13 14 15-2 16-4',
      '1.26': '0-2 1 2 3 4 5 6 7 8 9 10-2 11-2 12 13-2 14 15',
      '1.27': '0 1 2 3 4 5 6 7-2 8-2 9 10-2 11 12 13 14 15-2 16',
      '1.28': '0 1 2 3-2 4-2 5 6-2 7 8 9 10 11-2 12 13 14 15',
      '1.29': '0 1-2 2 3 4 5 6-2 7 8 9 10 11 12 13 14 15',
      '1.30': '0 1 2-2 3 4 5 6 7 8 9 10 11 12 13 14-2',
      '1.31': '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14',
      '1.32': '0 1 2 3 4 5 6 7 8 9 10 11-3 12 13',
      '1.33': '0 1 2 3 4 5 6 7-3 8 9 10 11 12',
      '1.34': '0 1 2 3-3 4 5 6 7 8',
      '1.35': '0-3 1 2 3 4 5',
      '1.36': '0 1',
    },
  },
};

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { DRIVER_VARIABLE, NodeDriver } from './node-driver';
import { StandIns } from './stand-ins';
import { Client } from '../../cluster/client';

/** The variable of the environment that names a kubeconfig of a Harvester with a token. */
const KUBECONFIG_VARIABLE = 'LIVE_HARVESTER_KUBECONFIG';

/** A Harvester without KubeVirt, and the node driver. */
export interface MachineLab {
  readonly client: Client;
  readonly driver: NodeDriver;
  /** What HarvesterConfigs refer to, for all tests of a file. */
  readonly references: StandIns;
  /** The machine of one test. */
  readonly machine: StandIns;
}

/** Opens the lab that the environment names. Throws where it names none. */
export function openLab(): MachineLab {
  const programs = given(DRIVER_VARIABLE);
  const { client, kubeconfig } = readKubeconfig(given(KUBECONFIG_VARIABLE));
  return {
    client,
    driver: new NodeDriver(programs, kubeconfig),
    references: new StandIns(client),
    machine: new StandIns(client),
  };
}

/** The Harvester that the environment names. Throws where it names none. */
export function openHarvester(): Client {
  return readKubeconfig(given(KUBECONFIG_VARIABLE)).client;
}

export function given(variable: string): string {
  const value = process.env[variable];
  if (!value) {
    throw new Error(`${variable} must be set. Fix: see test/live/machines/README.md`);
  }
  return value;
}

/** A client for the cluster of a kubeconfig, and its text with the certificate in it. */
export function readKubeconfig(file: string): {
  readonly client: Client;
  readonly kubeconfig: string;
} {
  const config = parse(readFileSync(file, 'utf8'));
  const [{ cluster }, { user }] = [config.clusters[0], config.users[0]];
  const { 'certificate-authority': path, ...others } = cluster;
  const ca = path
    ? readFileSync(path, 'utf8')
    : Buffer.from(cluster['certificate-authority-data'], 'base64').toString('utf8');
  const data = { ...others, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const kubeconfig = JSON.stringify({
    ...config,
    clusters: [{ ...config.clusters[0], cluster: data }],
  });
  return { client: new Client({ url: cluster.server, ca, token: user.token }), kubeconfig };
}

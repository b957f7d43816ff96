import { Command } from 'commander';
import { explain } from '../../../report/explain/explain';
import { EXPLAIN_FORMATS, printExplanations } from '../../../report/explain/explanation';
import { emit, OutputFlags, withOutput } from '../../option/output-options';

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('explain a construct, a prop, a kind, a field, a rule or a setting: what it is, allowed values, versions, and what an edit does to machines')
    .argument('<topic>', 'GuestCluster, GuestCluster.pools, VirtualMachineImage, Cluster.spec.kubernetesVersion, ip-pool/overlap, ntp-servers');
  return withOutput(command, EXPLAIN_FORMATS)
    .action((topic: string, flags: OutputFlags<typeof EXPLAIN_FORMATS[number]>) => { emit(printExplanations(explain(topic), flags.output), flags); });
}

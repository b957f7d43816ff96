import { Command, Option } from 'commander';
import { World } from '../../../core/rule/rule';
import { TargetOptions, readInput, targetsOf } from '../../../engine/read/read-input';
import { ADDRESS_FORMATS, AddressFormat, addressTable, printAddresses } from '../../../report/addresses/address-table';

/** The options of `addresses` as commander gives them. */
interface AddressOptions {
  readonly target?: TargetOptions['kind'];
  readonly harvesterVersion?: string;
  readonly world: readonly string[];
  readonly format: AddressFormat;
}

export function addressesCommand(): Command {
  const paths = (value: string, all: readonly string[]): string[] => [...all, value];
  return new Command('addresses')
    .description('which IP pool every load balancer gets its address of, and how many addresses are left')
    .argument('[paths...]', 'YAML or JSON files, folders, or an output folder with its assembly.json (default: dist)')
    .addOption(new Option('--target <kind>', 'what runs on the cluster of manifests without an assembly').choices(['rancher', 'harvester', 'guest']))
    .option('--harvester-version <version>', 'version of Harvester, e.g. 1.7.2')
    .option('--world <path>', 'objects that are live already, e.g. pools with their status; may be given several times', paths, [])
    .addOption(new Option('--format <format>', 'how it is printed').choices([...ADDRESS_FORMATS]).default('text'))
    .addHelpText('after', '\nWhat does not fit is told by lint: overlapping pools, load balancers without a pool, pools without an address left.')
    .action((files: string[], options: AddressOptions) => { process.stdout.write(`${addresses(files.length > 0 ? files : ['dist'], options)}\n`); });
}

function addresses(files: readonly string[], { target: kind, harvesterVersion, world, format }: AddressOptions): string {
  const target: TargetOptions = { ...(kind ? { kind } : {}), ...(harvesterVersion ? { harvesterVersion } : {}) };
  const input = readInput(files, target);
  const live = readInput(world, target, targetsOf(input.assemblies, target));
  const broken = [...input.findings, ...live.findings];
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }
  return printAddresses(addressTable(new World(input.objects, live.objects)), format);
}

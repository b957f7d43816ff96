import { ResolvedEdges } from './edges';
import { Program } from './program';
import { waitingMachines } from '../../guest/custom/custom-machines.rules';
import { Finding } from '../rule/finding';

/** The checks of the products over a whole program and its edges. */
export const PROGRAM_CHECKS: readonly ((program: Program, edges: ResolvedEdges) => Finding[])[] = [waitingMachines];

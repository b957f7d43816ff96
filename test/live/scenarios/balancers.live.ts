import { BALANCERS } from '../families/balancers';
import { describeFamily } from '../families/family';

describeFamily(BALANCERS);

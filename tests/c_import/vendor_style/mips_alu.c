// all in 0..2000000000
enum { ADD = 32, SUB = 34, AND = 36, OR = 37, XOR = 38, SLT = 42, SLL = 0, SRL = 2 };
void mips(unsigned ins[16], int reg[32]) {
  for (int pc = 0; pc < 16; pc++) {
    unsigned w = ins[pc];
    int op = w & 0x3f, sh = (w >> 6) & 0x1f, rd = (w >> 11) & 0x1f, rt = (w >> 16) & 0x1f, rs = (w >> 21) & 0x1f;
    switch (op) {
      case ADD: reg[rd] = reg[rs] + reg[rt]; break;
      case SUB: reg[rd] = reg[rs] - reg[rt]; break;
      case AND: reg[rd] = reg[rs] & reg[rt]; break;
      case OR: reg[rd] = reg[rs] | reg[rt]; break;
      case XOR: reg[rd] = reg[rs] ^ reg[rt]; break;
      case SLT: reg[rd] = reg[rs] < reg[rt]; break;
      case SLL: reg[rd] = reg[rt] << sh; break;
      case SRL: reg[rd] = (int)((unsigned)reg[rt] >> sh); break;
      default: break;
    }
    reg[0] = 0;
  }
}

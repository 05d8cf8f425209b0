# The same step in PyTorch, duals written by hand, for one window on one core; STEP.md defines the step.
# Usage: torch_step.py P2|P96 eager|compile [SECONDS]. Prints one line of JSON.
import json,sys,time,os
case=sys.argv[1]; mode=sys.argv[2]; win=float(sys.argv[3]) if len(sys.argv)>3 else 5
os.environ["OMP_NUM_THREADS"]="1"
import torch
torch.set_num_threads(1)
torch.set_flush_denormal(True)
B=32; p=2 if case=="P2" else 96
torch.manual_seed(0)
sizes=[4+p,256,256,256,p]
W=[(torch.randn(sizes[i],sizes[i+1])/sizes[i]**.5).requires_grad_() for i in range(4)]
b=[torch.zeros(sizes[i+1],requires_grad=True) for i in range(4)]
h0=torch.randn(2,2,requires_grad=True)
th0=torch.randn(p)*.5
X=torch.randn(4,24);W2=torch.randn(16,16)/4
def act(z):  # silu with derivative
    s=torch.sigmoid(z); return z*s, s*(1+z*(1-s))
def Fd(th,dth=None):
    if p==2:
        s=torch.sigmoid(th[:,1:2]*1.3); c=torch.sigmoid(torch.tensor(.7*1.3))
        y=th[:,0:1]*c+.9*s
        if dth is None: return y
        return y,dth[:,0:1]*c+.9*1.3*s*(1-s)*dth[:,1:2]
    W1=th[:,:64].reshape(-1,16,4);W3=th[:,64:].reshape(-1,2,16)
    A=torch.tanh(W1@X); Bq=torch.tanh(W2@A); y=W3@Bq
    if dth is None: return y.flatten(1)
    dW1=dth[:,:64].reshape(-1,16,4);dW3=dth[:,64:].reshape(-1,2,16)
    dA=(1-A*A)*(dW1@X); dB=(1-Bq*Bq)*(W2@dA)
    return y.flatten(1),(dW3@Bq+W3@dB).flatten(1)
def mlp(x):
    for i in range(3): x=torch.nn.functional.silu(torch.addmm(b[i],x,W[i]))
    return torch.addmm(b[3],x,W[3])
def mlpd(x,dx):
    for i in range(3):
        z=torch.addmm(b[i],x,W[i]); dz=dx@W[i]; y,d=act(z); x=y; dx=d*dz
    return torch.addmm(b[3],x,W[3]),dx@W[3]
I=torch.eye(2)
def expm(h,t):
    A=t[:,None,None]*h/8
    E=I+A@(I+A/2@(I+A/3@(I+A/4@(I+A/5@(I+A/6)))))
    E=E@E;E=E@E;return E@E
Ib=I.reshape(1,4).expand(B,4)
z=torch.zeros(B,p)
def loss(theta,t):
    h=h0/h0.norm(); hb=h.reshape(1,4).expand(B,4)
    G=expm(h,t.reshape(-1)).reshape(3,B,2,2); g1,g2,q=G[0],G[1],G[2]
    f=lambda g:g.reshape(B,4)
    c=lambda *a: torch.cat(a,1)
    with torch.no_grad():
        o=mlp(torch.cat([c(f(q),theta),c(Ib,theta)])); aq=theta+o[:B]-o[B:]
        x=torch.cat([theta[:B//2],aq[B//2:]])
    pr=torch.cat([c(Ib,x),c(f(g1),x)]); ta=torch.cat([c(hb,z),c(f(h@g1),z)])
    bp,bt=mlpd(pr,ta)
    bI=bp[:B]; v,tg=bt[:B],bt[B:]
    a1=x+bp[B:]-bI; a21=x+mlp(c(f(g2@g1),x))-bI
    bI1,va1=mlpd(c(Ib,a1),c(hb,z))
    a2=a1+mlp(c(f(g2),a1))-bI1
    Fx,dF=Fd(x,v)
    sq=lambda r:(r*r).sum(1).mean()
    inv=sq(dF);assoc=sq(tg-va1);comp=sq(a2-a21);fin=sq(Fd(a1)-Fx);scale=(sq(v[:B//2])/.25-1)**2
    return 10*inv+comp+assoc+10*fin+scale
P=W+b+[h0]
opt=torch.optim.Adam(P,lr=1e-3,fused=True)
lf=loss
if mode=="compile": lf=torch.compile(loss)
def step():
    theta=th0+.2*torch.randn(B,p); t=torch.rand(3,B)-.5
    l=lf(theta,t); opt.zero_grad(set_to_none=True); l.backward(); torch.nn.utils.clip_grad_norm_(P,10.); opt.step(); return l
for i in range(2000): l=step()
t0=time.perf_counter();n=0
while time.perf_counter()-t0<win: l=step();n+=1
rate=n/(time.perf_counter()-t0)
print(json.dumps({"engine":"torch_"+mode,"case":case,"steps_per_second":rate,"loss":float(l.detach()),"version":"PyTorch "+torch.__version__}))
